/* A cloth that is divided over several devices.
 *
 * A unit is a copy of a garment. Units never touch each other without self-collision, so each
 * device moves some of them as a cloth of its own, with the same bits as on one device: all that
 * depends on more than one garment (the origin, the number of substeps, the order of stages) comes
 * from the whole cloth. Parts have consecutive units, so an array of all particles is the arrays of
 * the parts one after another. */
#include "object/division.h"

#include "heddle/author.h"

#include <stddef.h>

/* ---- checks ---- */

static hed_status check_garment(
    const hed_cloth_garment_def *garment, uint32_t number, hed_error *error)
{
    const char *name = garment->name ? garment->name : "garment";
    if (garment->self_collision != HED_CLOTH_SELF_NONE)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "garment %u (%s): it has self_collision, so garments may touch each other, and "
            "other_devices is given; expected garments without self_collision, or one device",
            number, name);
    if (garment->tear != 0.0f)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "garment %u (%s): it tears, and other_devices is given; expected a tear of 0, or one "
            "device",
            number, name);
    return HED_OK;
}

hed_status cloth_check_division(const hed_cloth_def *def, hed_error *error)
{
    if (hed_failed(error) || !def->other_device_count) return error->status;
    if (!def->other_devices || def->other_device_count >= CLOTH_MAX_PARTS)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_cloth_def.other_device_count is %u; expected at most %d, and an array",
            def->other_device_count, CLOTH_MAX_PARTS - 1);
    for (uint32_t i = 0; i < def->other_device_count; i++)
        if (!def->other_devices[i])
            return hed_fail(
                error, HED_ERROR_ARGUMENT, "hed_cloth_def.other_devices: device %u is NULL", i);
    for (uint32_t g = 0; g < def->garment_count; g++)
        if (check_garment(&def->garments[g], g, error)) return error->status;
    return HED_OK;
}

hed_status cloth_needs_one_device(const hed_cloth *cloth, const char *subject, hed_error *error)
{
    if (!cloth->parts) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s: the cloth is on %u devices; expected one",
        subject, cloth->part_count);
}

hed_status cloth_check_together(const hed_cloth *cloth, hed_error *error)
{
    if (cloth->is_split)
        return hed_fail(error, HED_ERROR_DRIVER,
            "cloth: a frame failed between the strips of its sheet, on %u devices; call "
            "hed_cloth_reset() or hed_cloth_load()",
            cloth->part_count);
    for (uint32_t i = 1; i < cloth->part_count; i++)
        if (cloth->parts[i]->frame != cloth->parts[0]->frame)
            return hed_fail(error, HED_ERROR_DRIVER,
                "cloth: device %s is at frame %u and %s at frame %u, since a frame failed between "
                "them; call hed_cloth_reset() or hed_cloth_load()",
                hed_device_describe(cloth->parts[0]->device).id, cloth->parts[0]->frame,
                hed_device_describe(cloth->parts[i]->device).id, cloth->parts[i]->frame);
    return HED_OK;
}

/* ---- dealing ---- */

/* Fills parts up to `capacity` particles each; false: there are more than `count`. Every part gets a
 * unit. */
static bool fill_parts(
    const hed_cloth *whole, uint32_t count, uint64_t capacity, uint64_t units, cloth_cut *cuts)
{
    uint32_t part = 0;
    uint64_t load = 0;
    for (uint32_t g = 0; g < whole->garment_count; g++)
        for (uint32_t copy = 0; copy < whole->garments[g]->copies; copy++, units--) {
            uint64_t size = whole->garments[g]->particle_count;
            bool is_full = load + size > capacity, is_last = units == count - 1 - part;
            if (load && (is_full || is_last)) {
                if (++part == count) return false;
                cuts[part] = (cloth_cut){g, copy};
                load = 0;
            }
            load += size;
        }
    return true;
}

void cloth_deal(const hed_cloth *whole, uint32_t count, cloth_cut *cuts)
{
    uint64_t units = cloth_copies(whole), low = 0, high = whole->particles;
    for (uint32_t g = 0; g < whole->garment_count; g++)
        if (whole->garments[g]->particle_count > low) low = whole->garments[g]->particle_count;
    while (low < high) { /* smallest capacity */
        uint64_t middle = low + (high - low) / 2;
        if (fill_parts(whole, count, middle, units, cuts)) high = middle;
        else low = middle + 1;
    }
    fill_parts(whole, count, high, units, cuts);
    cuts[0] = (cloth_cut){0, 0};
    cuts[count] = (cloth_cut){whole->garment_count, 0};
}

hed_status cloth_take_garments(
    hed_cloth *part, const hed_cloth *whole, const cloth_cut *cuts, hed_error *error)
{
    const cloth_cut from = cuts[0], to = cuts[1];
    const uint32_t last = to.garment + (to.copy > 0), count = last - from.garment;
    part->whole = whole;
    part->base_garment = from.garment;
    part->base_copy = from.copy;
    part->base_particle = whole->first_particle[from.garment] +
                          from.copy * whole->garments[from.garment]->particle_count;
    part->base_vertex =
        whole->first_vertex[from.garment] + from.copy * whole->garments[from.garment]->vertex_count;
    part->garments = hed_new(&part->allocator, count, sizeof *part->garments, error);
    if (!part->garments) return HED_ERROR_MEMORY;
    part->garment_count = count;
    for (uint32_t g = 0; g < count; g++) {
        cloth_garment *garment = hed_new(&part->allocator, 1, sizeof *garment, error);
        if (!garment) return HED_ERROR_MEMORY;
        part->garments[g] = garment;
        *garment = *whole->garments[from.garment + g];
        garment->arena = (hed_arena){.allocator = part->allocator, .owner = "a garment"};
        if (from.garment + g == to.garment) garment->copies = to.copy;
        if (g == 0) garment->copies -= from.copy;
    }
    return HED_OK;
}

/* ---- arrays of all particles ---- */

hed_status cloth_wait_parts(hed_cloth *cloth, hed_error *error)
{
    for (uint32_t part = 0; part < cloth_part_count(cloth); part++)
        hed_stream_wait(cloth_part(cloth, part)->stream, error->status ? NULL : error);
    return error->status;
}

static hed_buffer *buffer_of(hed_cloth *part, cloth_rows rows)
{
    return *(hed_buffer **)(void *)((char *)&part->buffers + rows.member);
}

hed_status cloth_read_rows(hed_cloth *cloth, cloth_rows rows, void *array, hed_error *error)
{
    for (uint32_t i = 0; i < cloth_part_count(cloth) * rows.count; i++) {
        hed_cloth *part = cloth_part(cloth, i / rows.count);
        uint64_t number = i % rows.count, from = number * part->particles + part->own_first,
                 to = number * cloth->particles + part->base_particle + part->own_first;
        hed_read(part->stream, (char *)array + rows.row * to, buffer_of(part, rows),
            rows.row * from, rows.row * (uint64_t)part->own_count, error);
    }
    return error->status;
}

hed_status cloth_write_rows(hed_cloth *cloth, cloth_rows rows, const void *array, hed_error *error)
{
    for (uint32_t i = 0; i < cloth_part_count(cloth) * rows.count; i++) {
        hed_cloth *part = cloth_part(cloth, i / rows.count);
        uint64_t number = i % rows.count, size = rows.row * (uint64_t)part->particles;
        const char *from =
            (const char *)array + rows.row * (number * cloth->particles + part->base_particle);
        hed_write(part->stream, buffer_of(part, rows), number * size, from, size, error);
    }
    return error->status;
}
