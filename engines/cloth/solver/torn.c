/* Cloth that tears: before a submission vertices split (model/tear.h), and everything that depends on
 * the faces is made again, which then continues with the state of the cloth before. */
#include "solver/host.h"

#include "model/tear.h"

/* Splits the particles of all garments at positions of the device. */
static uint32_t find_splits(hed_cloth *cloth, float (*positions)[4], cloth_tear_split *splits,
    uint32_t *counts, hed_error *error)
{
    uint32_t total = 0;
    for (uint32_t g = 0; g < cloth->garment_count && !error->status; g++) {
        counts[g] = 0;
        if (!cloth->tear->garments[g].corner_count) continue;
        counts[g] = cloth_tear_split_all(
            cloth->tear, g, positions + cloth->first_particle[g], splits + total, error);
        total += counts[g];
    }
    return total;
}

/* Makes the form after the splits, and continues with it. */
static hed_status continue_torn(
    hed_cloth *cloth, const cloth_tear_split *splits, const uint32_t *counts, hed_error *error)
{
    hed_cloth *form = NULL;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (counts[g]) cloth_tear_update(cloth->tear, g);
    if (!error->status && !cloth_form_create(cloth, &form, error))
        cloth_take_state(form, cloth, splits, counts, error);
    cloth_form_use(cloth, form, error);
    return error->status;
}

hed_status cloth_open_tears(hed_cloth *cloth, hed_error *error)
{
    const hed_allocator *a = &cloth->allocator;
    if (!cloth->tear || cloth->frame == 0 || hed_failed(error)) return error->status;
    float(*positions)[4] = hed_new(a, cloth->particles, sizeof *positions, error);
    cloth_tear_split *splits = hed_new(a, cloth->particles, sizeof *splits, error);
    uint32_t *counts = hed_new(a, cloth->garment_count, sizeof *counts, error), count = 0;
    uint64_t words = cloth_tear_words(cloth->tear);
    uint32_t *former = hed_new(a, words, sizeof *former, error);
    if (former) cloth_tear_write(cloth->tear, former);
    if (!error->status) hed_cloth_wait(cloth, error);
    if (!error->status)
        hed_read(cloth->stream, positions, cloth->buffers.position, 0,
            cloth->particles * sizeof *positions, error);
    if (!error->status) hed_stream_wait(cloth->stream, error);
    if (!error->status) count = find_splits(cloth, positions, splits, counts, error);
    if (count) continue_torn(cloth, splits, counts, error);
    if (error->status && former) cloth_tear_read(cloth->tear, former, &(bool){false}, NULL);
    hed_delete(a, former, words, sizeof *former);
    hed_delete(a, counts, cloth->garment_count, sizeof *counts);
    hed_delete(a, splits, cloth->particles, sizeof *splits);
    hed_delete(a, positions, cloth->particles, sizeof *positions);
    return error->status;
}
