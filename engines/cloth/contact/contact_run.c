/* Kernels of contact, created at first use or as announced, and the bodies that all passes read. */
#include "contact/contact_host.h"

#include <string.h>

static const hed_kernel_def *const definitions[CLOTH_CONTACT_KERNELS] = {
    [CLOTH_SELF_COUNT] = &cloth_self_count_def,
    [CLOTH_SELF_SCAN] = &cloth_self_scan_def,
    [CLOTH_SELF_TOTALS] = &cloth_self_totals_def,
    [CLOTH_SELF_PLACE] = &cloth_self_place_def,
    [CLOTH_SELF_ORDER] = &cloth_self_order_def,
    [CLOTH_SELF_PUSH] = &cloth_self_push_def,
    [CLOTH_SELF_NEAR_KERNEL] = &cloth_self_near_def,
    [CLOTH_MESH_BOXES] = &cloth_mesh_boxes_def,
    [CLOTH_MESH_FIND] = &cloth_mesh_find_def,
    [CLOTH_FEATURE_FIND] = &cloth_feature_find_def,
    [CLOTH_FEATURE_SOLVE] = &cloth_feature_solve_def,
    [CLOTH_PAIRS_BEGIN] = &cloth_pairs_begin_def,
    [CLOTH_PAIRS_CHECK] = &cloth_pairs_check_def,
    [CLOTH_PAIRS_TAKE] = &cloth_pairs_take_def,
    [CLOTH_PAIRS_SLOPES] = &cloth_pairs_slopes_def,
    [CLOTH_PAIRS_BOXES] = &cloth_pairs_boxes_def,
    [CLOTH_PAIRS_FIND] = &cloth_pairs_find_def,
    [CLOTH_PAIRS_LIST] = &cloth_pairs_list_def,
    [CLOTH_PAIRS_PUSH] = &cloth_pairs_push_def,
    [CLOTH_PAIRS_PART] = &cloth_pairs_part_def,
    [CLOTH_PAIRS_PULL] = &cloth_pairs_pull_def,
    [CLOTH_PAIRS_APPLY] = &cloth_pairs_apply_def,
    [CLOTH_PAIRS_CUT] = &cloth_pairs_cut_def,
    [CLOTH_PAIRS_FINISH] = &cloth_pairs_finish_def,
    [CLOTH_PAIRS_SUBSTEP] = &cloth_pairs_substep_def,
};

static hed_status ensure(hed_cloth *cloth, cloth_contacts *contacts, cloth_contact_kernel kernel,
    uint64_t size, hed_error *error)
{
    if (contacts->kernels[kernel]) return HED_OK;
    hed_problem problem = hed_problem_1d((int64_t)size);
    hed_kernel_options options = hed_default_kernel_options();
    /* strict: the limit of motion is proved for one rounding */
    options.math = kernel >= CLOTH_FEATURE_FIND ? HED_MATH_STRICT : cloth->def.math;
    options.problem = &problem;
    return hed_kernel_create(
        cloth->device, definitions[kernel], &options, &contacts->kernels[kernel], error);
}

/* Creates the kernels that the definition announces, so that no step compiles. */
hed_status cloth_contact_ensure_announced(
    hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    uint32_t triangles = cloth->def.max_collider_triangles, buckets = contacts->self.buckets;
    for (cloth_contact_kernel k = 0; k < CLOTH_CONTACT_KERNELS; k++) {
        bool mesh = k == CLOTH_MESH_BOXES || k == CLOTH_MESH_FIND, pairs = k >= CLOTH_PAIRS_BEGIN,
             feature = k == CLOTH_FEATURE_FIND || k == CLOTH_FEATURE_SOLVE;
        if (pairs && (k == CLOTH_PAIRS_SUBSTEP) != cloth_pairs_at_once(cloth)) continue;
        if (feature && (cloth->triangles == 0 || (triangles == 0 && cloth->def.max_colliders == 0)))
            continue;
        if (!feature && (pairs ? !contacts->pairing : mesh ? triangles == 0 : !contacts->sb.rows))
            continue;
        uint64_t size = pairs                    ? cloth_pairs_size(contacts->pairing, k)
                        : k == CLOTH_SELF_SCAN   ? buckets
                        : k == CLOTH_SELF_TOTALS ? buckets / CLOTH_SELF_TILE
                        : k == CLOTH_MESH_BOXES  ? triangles
                        : feature                ? cloth->triangles
                                                 : cloth->particles;
        ensure(cloth, contacts, k, size, error);
    }
    return error->status;
}

hed_status cloth_contact_run(hed_cloth *cloth, cloth_contacts *contacts,
    cloth_contact_kernel kernel, uint64_t size, const hed_argument *arguments, uint32_t count,
    hed_error *error)
{
    hed_problem problem = hed_problem_1d((int64_t)size);
    ensure(cloth, contacts, kernel, size, error);
    return hed_launch(cloth->stream, contacts->kernels[kernel], &problem, arguments, count, error);
}

/* Fills the position at rest and body of each particle. Bodies are the copies of all garments in
 * order. */
static void fill_bodies(
    const hed_cloth *cloth, bool (*part)(const cloth_garment *), float4 *rests, float4 *bodies)
{
    uint32_t body = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        float4 *rest = rests + cloth->first_particle[g];
        for (uint32_t copy = 0; copy < garment->copies; copy++, body++) {
            bodies[body] = (float4){
                garment->thickness, garment->friction, (float)(cloth->base_garment + g), 0.0f};
            for (uint32_t i = 0; i < garment->particle_count; i++, rest++) {
                const float *place = garment->rest[i];
                *rest = (float4){
                    place[0], place[1], place[2], as_float(part(garment) ? body : CLOTH_SELF_NONE)};
            }
        }
    }
}

hed_status cloth_upload_bodies(hed_cloth *cloth, bool (*part)(const cloth_garment *),
    hed_buffer **rests, hed_buffer **bodies, hed_error *error)
{
    uint64_t count = cloth_copies(cloth), particles = cloth->particles;
    float4 *places = hed_new(&cloth->allocator, particles, sizeof *places, error);
    float4 *words = hed_new(&cloth->allocator, count, sizeof *words, error);
    if (words) fill_bodies(cloth, part, places, words);
    cloth_upload(cloth, places, particles * sizeof *places, rests, error);
    cloth_upload(cloth, words, count * sizeof *words, bodies, error);
    hed_delete(&cloth->allocator, words, count, sizeof *words);
    hed_delete(&cloth->allocator, places, particles, sizeof *places);
    return error->status;
}

bool cloth_pairs_at_once(const hed_cloth *cloth)
{
    const uint64_t needs = cloth_pairs_substep_def.needs;
    return (hed_device_describe(cloth->device).capabilities & needs) == needs;
}

uint64_t cloth_pairs_size(const cloth_pairing *pairing, cloth_contact_kernel kernel)
{
    const contact_params *params = &pairing->params;
    switch (kernel) {
    case CLOTH_PAIRS_SLOPES:
    case CLOTH_PAIRS_PULL:
    case CLOTH_PAIRS_BOXES:
    case CLOTH_PAIRS_FIND: return params->leaves;
    case CLOTH_PAIRS_LIST:
    case CLOTH_PAIRS_TAKE:
    case CLOTH_PAIRS_PUSH:
    case CLOTH_PAIRS_PART:
    case CLOTH_PAIRS_CUT: return params->capacity;
    default: return params->particles;
    }
}

hed_status cloth_pairs_read_counters(
    hed_cloth *cloth, const cloth_pairing *p, contact_counters *counters, hed_error *error)
{
    hed_read(cloth->stream, counters, p->b.counters, 0, sizeof *counters, error);
    hed_stream_wait(cloth->stream, error->status ? NULL : error);
    return error->status;
}
