/* Sheet of the benchmarks. */
#include "sheet.h"

#include <stdlib.h>
#include <string.h>

void cli_sheet_free(cli_sheet *s)
{
    free(s->positions);
    free(s->inverse_masses);
    free(s->max_distance);
    free(s->quads);
}

hed_status cli_sheet_create(uint32_t n, cli_sheet *s, hed_error *error)
{
    size_t count = (size_t)n * n;
    *s = (cli_sheet){.n = n,
        .positions = malloc(count * 3 * sizeof(float)),
        .inverse_masses = malloc(count * sizeof(float)),
        .max_distance = malloc(count * sizeof(float)),
        .quads = malloc((size_t)(n - 1) * (n - 1) * 4 * sizeof(uint32_t))};
    if (!s->positions || !s->inverse_masses || !s->max_distance || !s->quads) {
        cli_sheet_free(s);
        *error = (hed_error){.status = HED_ERROR_MEMORY, .text = "out of memory for a sheet"};
        return HED_ERROR_MEMORY;
    }
    float h = 2.0f / (float)(n - 1);
    for (uint32_t y = 0; y < n; y++)
        for (uint32_t x = 0; x < n; x++) {
            size_t i = (size_t)y * n + x;
            memcpy(s->positions + 3 * i, (float[]){(float)x * h - 1, 0, (float)y * h - 1},
                3 * sizeof(float));
            s->inverse_masses[i] = y == 0 && (x == 0 || x == n - 1) ? 0.0f : 1.0f;
            s->max_distance[i] = 3.0f;
        }
    for (uint32_t y = 0, q = 0; y + 1 < n; y++)
        for (uint32_t x = 0; x + 1 < n; x++, q += 4) {
            uint32_t i = y * n + x;
            memcpy(s->quads + q, (uint32_t[]){i, i + n, i + n + 1, i + 1}, 4 * sizeof(uint32_t));
        }
    return HED_OK;
}

hed_cloth_garment_def cli_sheet_garment(const cli_sheet *s)
{
    hed_cloth_garment_def garment = hed_default_cloth_garment_def();
    garment.name = "sheet";
    garment.particle_count = s->n * s->n;
    garment.positions = s->positions;
    garment.inverse_masses = s->inverse_masses;
    garment.quad_count = (s->n - 1) * (s->n - 1);
    garment.quads = s->quads;
    garment.grid_width = garment.grid_height = s->n;
    garment.damping = 0.65f; /* a tenth of the velocity in a tenth of a second */
    garment.drag = garment.lift = 0;
    return garment;
}
