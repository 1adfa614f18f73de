/* Strips of a sheet: checks, margins, garments of the parts, exchanges. */
#include "solver/strips.h"

#include <string.h>

/* ---- checks ---- */

const char *cloth_strip_obstacle(const cloth_garment *sheet)
{
    bool in_order = sheet->vertex_count == sheet->particle_count;
    for (uint32_t v = 0; v < sheet->vertex_count && in_order; v++)
        in_order = sheet->vertex_particle[v] == v;
    if (!cloth_is_grid(sheet)) return "it is a mesh; expected a grid, whose rows are cut into strips,";
    if (sheet->lattice_count || sheet->tension.edge_count)
        return "its lattices solve whole columns; expected a number of substeps and no lattices,";
    if (sheet->has_fabric) return "its fabric bends along whole columns; expected family_material";
    if (sheet->anchor_count) return "its tethers lead across strips; expected no tethers,";
    if (sheet->seam_count) return "its seams lead across strips; expected no seams,";
    if (sheet->pressure != 0.0f) return "it has a pressure; expected none,";
    if (!in_order) return "its vertices are not its particles; expected no vertices,";
    return NULL;
}

static hed_status strips_check(
    const hed_cloth *whole, const hed_cloth_def *def, uint32_t count, hed_error *error)
{
    const cloth_garment *sheet = whole->garments[0];
    const uint32_t units = cloth_copies(whole);
    if (units != 1)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "cloth: %u devices for %u garments, copies included; expected at most as many devices, or "
            "one garment that is a grid",
            count, units);
    const char *obstacle = cloth_strip_obstacle(sheet);
    if (obstacle)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "garment 0 (%s): %u devices for one garment: %s or one device", sheet->name, count,
            obstacle);
    if (def->solver != HED_CLOTH_SOLVER_AUTO && def->solver != HED_CLOTH_SOLVER_COLOURS)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "garment 0 (%s): %u devices for one garment with solver %s; expected colours",
            sheet->name, count, hed_cloth_solver_name(def->solver));
    return HED_OK;
}

/* ---- margins ---- */

/* Particles of consecutive rows of a sheet. */
typedef struct strip_range {
    uint32_t first, count;
} strip_range;

static uint32_t rows_between(uint32_t a, uint32_t b, uint32_t width)
{
    a /= width;
    b /= width;
    return a < b ? b - a : a - b;
}

/* Maximum rows that a change can cross in an iteration: for each colour, the rows of its longest
 * constraint. */
static uint64_t rows_of_constraints(const cloth_garment *sheet)
{
    uint64_t sum = 0;
    for (uint32_t colour = 0; colour < sheet->colour_count; colour++) {
        uint32_t most = 0;
        for (uint32_t i = sheet->colour_at[colour]; i < sheet->colour_at[colour + 1]; i++) {
            const hed_cloth_constraint *c = sheet->constraints + i;
            uint32_t rows = rows_between(c->a, c->b, sheet->grid_width);
            if (rows > most) most = rows;
        }
        sum += most;
    }
    return sum;
}

static uint32_t rows_of_triangles(const cloth_garment *sheet)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < 3 * sheet->triangle_count; i++) {
        const uint32_t *corners = sheet->triangles[i / 3];
        uint32_t rows = rows_between(corners[i % 3], corners[(i + 1) % 3], sheet->grid_width);
        if (rows > most) most = rows;
    }
    return most;
}

/* First own row of a strip; of strip `count`: the number of rows. */
static uint32_t strip_row_at(const cloth_garment *sheet, uint32_t count, uint32_t number)
{
    return (uint32_t)((uint64_t)sheet->grid_height * number / count);
}

/* Rows that an error crosses in a substep: `before` the constraints those that lack triangles around
 * them, whose air and edges are wrong; `after` them those that contact with thin features crosses, one
 * triangle in each pass; `most`: maximum of all. */
typedef struct strip_reach {
    uint32_t iterations, before, after;
    uint64_t most;
} strip_reach;

static strip_reach reach_of(const cloth_garment *sheet, const hed_cloth_def *def)
{
    const bool touches = def->max_colliders || def->max_collider_triangles;
    strip_reach reach = {.iterations = def->iterations, .before = rows_of_triangles(sheet)};
    if (touches) reach.after = (FEATURE_PASSES + FEATURE_ROUNDS) * reach.before;
    reach.most = reach.before + reach.after + def->iterations * rows_of_constraints(sheet);
    return reach;
}

/* Range of particles of rows [first, end) of a sheet, as far as the rows exist. */
static strip_range range_of_rows(const cloth_garment *sheet, int64_t first, int64_t end)
{
    const int64_t rows = sheet->grid_height, width = sheet->grid_width;
    if (first < 0) first = 0;
    if (end > rows) end = rows;
    if (end < first) end = first;
    return (strip_range){(uint32_t)(first * width), (uint32_t)((end - first) * width)};
}

/* Makes the particles wrong to which constraints of a substep lead from wrong ones. */
static void spread_errors(const cloth_garment *sheet, uint32_t iterations, bool *wrong)
{
    for (uint32_t k = 0; k < iterations; k++)
        for (uint32_t i = 0; i < sheet->colour_at[sheet->colour_count]; i++) {
            const hed_cloth_constraint *c = sheet->constraints + i;
            if (wrong[c->a] || wrong[c->b]) wrong[c->a] = wrong[c->b] = true;
        }
}

/* True if errors at the outer ends of margins of `margin` rows stay outside of the own rows of
 * `count` strips. Errors of all margins on one `side` of the cuts spread at once: where strips are
 * narrow they may meet, and the answer is false. `wrong`: (particles). */
static bool is_wide_enough(const cloth_garment *sheet, uint32_t count, const strip_reach *reach,
    int64_t margin, int side, bool *wrong)
{
    const int64_t before = reach->before, after = reach->after, most = (int64_t)reach->most,
                  rows = sheet->grid_height;
    memset(wrong, 0, sheet->particle_count * sizeof *wrong);
    for (uint32_t i = 1; i < count; i++) {
        const int64_t cut = strip_row_at(sheet, count, i);
        strip_range ends = range_of_rows(sheet, cut + margin - before, cut + margin + most);
        if (side) ends = range_of_rows(sheet, cut - margin - most, cut - margin + before);
        if (side ? cut > margin : cut + margin < rows)
            memset(wrong + ends.first, true, ends.count * sizeof *wrong);
    }
    spread_errors(sheet, reach->iterations, wrong);
    bool is_right = true;
    for (uint32_t i = 1; i < count && is_right; i++) {
        const int64_t cut = strip_row_at(sheet, count, i);
        strip_range own = side ? range_of_rows(sheet, cut - after, cut + most)
                               : range_of_rows(sheet, cut - most, cut + after);
        is_right = !memchr(wrong + own.first, true, own.count * sizeof *wrong);
    }
    return is_right;
}

/* Finds the minimum margin of `count` strips, at most reach->most. */
static hed_status find_margin(const cloth_garment *sheet, uint32_t count, const strip_reach *reach,
    uint32_t *margin, hed_error *error)
{
    const hed_allocator *a = &sheet->arena.allocator;
    bool *wrong = hed_new(a, sheet->particle_count, sizeof *wrong, error);
    if (!wrong) return HED_ERROR_MEMORY;
    *margin = (uint32_t)reach->most;
    while (*margin > reach->before + reach->after &&
           is_wide_enough(sheet, count, reach, *margin - 1, 0, wrong) &&
           is_wide_enough(sheet, count, reach, *margin - 1, 1, wrong))
        (*margin)--;
    hed_delete(a, wrong, sheet->particle_count, sizeof *wrong);
    return HED_OK;
}

/* ---- creation ---- */

hed_status cloth_strips_create(
    hed_cloth *whole, const hed_cloth_def *def, uint32_t count, hed_error *error)
{
    if (strips_check(whole, def, count, error)) return error->status;
    const hed_allocator *a = &whole->allocator;
    const cloth_garment *sheet = whole->garments[0];
    const strip_reach reach = reach_of(sheet, def);
    const uint32_t fewest = sheet->grid_height / count;
    if (reach.most > fewest)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "garment 0 (%s): %u devices for %u rows are %u rows for each, and a substep reaches over "
            "%llu; expected at most %llu devices",
            sheet->name, count, sheet->grid_height, fewest, (unsigned long long)reach.most,
            (unsigned long long)(reach.most < sheet->grid_height ? sheet->grid_height / reach.most
                                                                 : 1));
    whole->strips = hed_new(a, 1, sizeof *whole->strips, error);
    if (!whole->strips) return HED_ERROR_MEMORY;
    whole->strips->count = count;
    if (find_margin(sheet, count, &reach, &whole->strips->margin, error)) return error->status;
    whole->strips->ended = hed_new(a, count, sizeof *whole->strips->ended, error);
    whole->strips->taken = hed_new(a, count, sizeof *whole->strips->taken, error);
    return error->status;
}

void cloth_strips_destroy(hed_cloth *whole)
{
    const hed_allocator *a = &whole->allocator;
    cloth_strips *strips = whole->strips;
    if (!strips) return;
    for (uint32_t i = 0; i < strips->count; i++) {
        if (strips->ended) hed_event_destroy(strips->ended[i]);
        if (strips->taken) hed_event_destroy(strips->taken[i]);
    }
    hed_delete(a, strips->ended, strips->count, sizeof *strips->ended);
    hed_delete(a, strips->taken, strips->count, sizeof *strips->taken);
    hed_delete(a, strips, 1, sizeof *strips);
}

/* ---- garments of the parts ---- */

static bool strip_has(strip_range range, uint32_t particle)
{
    return particle - range.first < range.count; /* wraps below the first */
}

/* Keeps the constraints between particles of the strip, in their order. */
static hed_status strip_take_constraints(
    cloth_garment *strip, const cloth_garment *sheet, strip_range range, hed_error *error)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sheet->constraint_count; i++)
        count +=
            strip_has(range, sheet->constraints[i].a) && strip_has(range, sheet->constraints[i].b);
    strip->constraint_count = count;
    strip->families = NULL; /* measured on the whole sheet alone */
    strip->constraints = hed_arena_new(&strip->arena, count, sizeof *strip->constraints, error);
    strip->colour_at = hed_arena_new(
        &strip->arena, (uint64_t)sheet->colour_count + 1, sizeof *strip->colour_at, error);
    if (!strip->constraints || !strip->colour_at) return HED_ERROR_MEMORY;
    count = 0;
    for (uint32_t colour = 0; colour < sheet->colour_count; colour++) {
        for (uint32_t i = sheet->colour_at[colour]; i < sheet->colour_at[colour + 1]; i++) {
            hed_cloth_constraint c = sheet->constraints[i];
            if (!strip_has(range, c.a) || !strip_has(range, c.b)) continue;
            c.a -= range.first;
            c.b -= range.first;
            strip->constraints[count++] = c;
        }
        strip->colour_at[colour + 1] = count;
    }
    return HED_OK;
}

/* Keeps the triangles between particles of the strip, in their order. */
static hed_status strip_take_triangles(
    cloth_garment *strip, const cloth_garment *sheet, strip_range range, hed_error *error)
{
    const hed_allocator *a = &strip->arena.allocator;
    uint32_t count = 0;
    uint32_t(*triangles)[3] = hed_new(a, sheet->triangle_count, sizeof *triangles, error);
    if (!triangles) return HED_ERROR_MEMORY;
    for (uint32_t t = 0; t < sheet->triangle_count; t++) {
        const uint32_t *v = sheet->triangles[t];
        if (!strip_has(range, v[0]) || !strip_has(range, v[1]) || !strip_has(range, v[2])) continue;
        for (int k = 0; k < 3; k++) triangles[count][k] = v[k] - range.first;
        count++;
    }
    const cloth_faces faces = {
        .triangle_count = count, .triangles = (const uint32_t(*)[3])triangles};
    cloth_make_triangles(strip, &faces, error);
    hed_delete(a, triangles, sheet->triangle_count, sizeof *triangles);
    return error->status;
}

hed_status cloth_take_strip(
    hed_cloth *part, const hed_cloth *whole, uint32_t number, hed_error *error)
{
    const cloth_strips *strips = whole->strips;
    const cloth_cut all[2] = {{0, 0}, {1, 0}};
    if (cloth_take_garments(part, whole, all, error)) return error->status;
    const cloth_garment *sheet = whole->garments[0];
    cloth_garment *strip = part->garments[0];
    const uint32_t width = sheet->grid_width, margin = strips->margin,
                   own = strip_row_at(sheet, strips->count, number),
                   own_end = strip_row_at(sheet, strips->count, number + 1),
                   first = number ? own - margin : own,
                   end = number + 1 < strips->count ? own_end + margin : own_end;
    const strip_range range = {first * width, (end - first) * width};
    part->base_particle = range.first;
    part->base_vertex = own * width;
    part->own_first = (own - first) * width;
    part->own_count = (own_end - own) * width;
    part->def.solver = HED_CLOTH_SOLVER_COLOURS;
    strip->grid_height = end - first;
    strip->particle_count = range.count;
    strip->positions = sheet->positions + range.first;
    strip->rest = sheet->rest + range.first;
    if (sheet->driver_map) strip->driver_map = sheet->driver_map + range.first;
    strip_take_constraints(strip, sheet, range, error);
    if (!error->status) strip_take_triangles(strip, sheet, range, error);
    /* vertices are the particles of the strip's own rows */
    strip->vertex_count = part->own_count;
    strip->vertex_particle =
        hed_arena_new(&strip->arena, part->own_count, sizeof *strip->vertex_particle, error);
    for (uint32_t v = 0; v < part->own_count && strip->vertex_particle; v++)
        strip->vertex_particle[v] = part->own_first + v;
    return error->status;
}

/* ---- exchange ---- */

static hed_status strips_record(
    hed_cloth *whole, uint32_t number, hed_event **events, hed_error *error)
{
    hed_cloth *part = whole->parts[number];
    if (!events[number]) hed_event_create(part->device, false, &events[number], error);
    return hed_event_record(events[number], part->stream, error);
}

/* Copies a margin of strip `number` from the neighbour that owns its rows. */
static hed_status strip_take_margin(
    hed_cloth *whole, uint32_t number, uint32_t neighbour, hed_error *error)
{
    hed_cloth *part = whole->parts[number];
    const hed_cloth *owner = whole->parts[neighbour];
    const uint64_t row = sizeof(float4),
                   count = whole->strips->margin * (uint64_t)whole->garments[0]->grid_width,
                   to = neighbour < number ? 0 : part->own_first + (uint64_t)part->own_count,
                   from = part->base_particle + to - owner->base_particle;
    hed_stream_wait_event(part->stream, whole->strips->ended[neighbour], error);
    return hed_copy(part->stream, part->buffers.position, to * row, owner->buffers.position,
        from * row, count * row, error);
}

hed_status cloth_strips_exchange(hed_cloth *whole, hed_error *error)
{
    cloth_strips *strips = whole->strips;
    const uint32_t count = strips->count;
    for (uint32_t i = 0; i < count; i++) strips_record(whole, i, strips->ended, error);
    for (uint32_t i = 0; i < count && !error->status; i++) {
        if (i > 0) strip_take_margin(whole, i, i - 1, error);
        if (i + 1 < count) strip_take_margin(whole, i, i + 1, error);
        strips_record(whole, i, strips->taken, error);
    }
    for (uint32_t i = 0; i < count && !error->status; i++) {
        hed_stream *stream = whole->parts[i]->stream;
        if (i > 0) hed_stream_wait_event(stream, strips->taken[i - 1], error);
        if (i + 1 < count) hed_stream_wait_event(stream, strips->taken[i + 1], error);
    }
    return error->status;
}
