/* Device memory of a cloth: all arrays of the kernels, filled from the garments, copy after copy.
 * Arrays that a cloth does not use are not allocated. */
#include "solver/host.h"
#include "solver/second_order.h"

#include <string.h>

/* Half of the air's density at 15 degrees and sea level, kg/m^3: force = density / 2 * coefficient
 * * area * speed^2. */
static const float half_air_density = 0.5f * 1.225f;

/* Calls `fill` for each copy of each garment with the first particle of the copy. */
typedef void fill_function(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array);

static hed_status upload_filled(hed_cloth *cloth, fill_function *fill, uint64_t count, size_t size,
    hed_buffer **buffer, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    void *array = hed_new(&cloth->allocator, count, size, error);
    if (!array) return HED_ERROR_MEMORY;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t copy = 0; copy < cloth->garments[g]->copies; copy++)
            fill(cloth, g, copy, array);
    if (!*buffer) {
        cloth_upload(cloth, array, count * size, buffer, error);
    } else {
        hed_write(cloth->stream, *buffer, 0, array, count * size, error);
        hed_stream_wait(cloth->stream, error);
    }
    hed_delete(&cloth->allocator, array, count, size);
    return error->status;
}

static uint32_t first_of(const hed_cloth *cloth, uint32_t garment, uint32_t copy)
{
    return cloth->first_particle[garment] + copy * cloth->garments[garment]->particle_count;
}

/* ---- particles ---- */

static void fill_position(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    float4 *to = (float4 *)array + first_of(cloth, garment, copy);
    for (uint32_t i = 0; i < g->particle_count; i++)
        to[i] = cloth_from_home(cloth, garment, g->positions[i], g->positions[i][3]);
}

/* Initial motion of a particle in CLOTH_START_DT, m. */
static void start_way(const cloth_garment *g, uint32_t particle, double way[3])
{
    const float *p = g->positions[particle], *spin = g->angular_velocity;
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        way[k] = p[3] > 0.0f ? CLOTH_START_DT * (g->velocity[k] + spin[a] * (p[b] - g->middle[b]) -
                                                    spin[b] * (p[a] - g->middle[a]))
                             : 0.0;
    }
}

static void fill_previous(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    float4 *to = (float4 *)array + first_of(cloth, garment, copy);
    fill_position(cloth, garment, copy, array);
    for (uint32_t i = 0; i < g->particle_count; i++) {
        double way[3];
        start_way(g, i, way);
        to[i] = (float4){(float)(to[i].x - way[0]), (float)(to[i].y - way[1]),
            (float)(to[i].z - way[2]), (float)(cloth->base_garment + garment)};
    }
}

/* Fills the carries: the motion less the difference of the two positions. */
static void fill_carry(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    uint2 *to = (uint2 *)array + first_of(cloth, garment, copy);
    for (uint32_t i = 0; i < g->particle_count; i++) {
        double way[3];
        float4 at = cloth_from_home(cloth, garment, g->positions[i], 0.0f), loss = at;
        start_way(g, i, way);
        loss.x = (float)(way[0] - (at.x - (float)(at.x - way[0])));
        loss.y = (float)(way[1] - (at.y - (float)(at.y - way[1])));
        loss.z = (float)(way[2] - (at.z - (float)(at.z - way[2])));
        to[i] = cloth_carry_pack(loss);
    }
}

hed_status cloth_upload_start(hed_cloth *cloth, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    const uint32_t count = cloth_home_count(cloth);
    const bool was_apart = cloth->is_apart;
    memcpy(cloth->homes + count, cloth->homes, count * sizeof *cloth->homes);
    cloth_origin_start(cloth);
    upload_filled(
        cloth, fill_position, cloth->particles, sizeof(float4), &cloth->buffers.position, error);
    if (error->status) /* positions on the device are still relative to the old origins */
        cloth_origin_return(cloth, cloth->homes + count, was_apart);
    upload_filled(
        cloth, fill_previous, cloth->particles, sizeof(float4), &cloth->buffers.previous, error);
    upload_filled(cloth, fill_carry, cloth->particles, sizeof(uint2), &cloth->buffers.carry, error);
    cloth->host->air_fresh = false;
    cloth->host->pace_seconds = 0.0;
    return error->status;
}

static void garment_words(const hed_cloth *cloth, float dt, float4 *words)
{
    const hed_cloth *whole = cloth_whole(cloth);
    float part = cloth_remembers(cloth) ? CLOTH_RECALL / (1.0f + CLOTH_RECALL) : 0.0f;
    for (uint32_t i = 0; i < whole->garment_count; i++, words += CLOTH_GARMENT_WORDS) {
        const cloth_garment *g = whole->garments[i];
        float factor = hed_pow(1.0f - g->damping, dt),
              upright = factor * hed_pow(1.0f - g->vertical_damping, dt);
        factor += part * (1.0f - factor);
        upright += part * (1.0f - upright);
        uint32_t up = cloth->def.up;
        words[0] = (float4){up == 0 ? upright : factor, up == 1 ? upright : factor,
            up == 2 ? upright : factor, g->thickness};
        words[1] = (float4){g->drag * half_air_density, g->lift * half_air_density, g->friction,
            g->pressure * dt * dt};
        words[2] = (float4){0};
        const double *origin = cloth->homes[i].origin;
        if (cloth->is_apart)
            words[2] = (float4){(float)origin[0], (float)origin[1], (float)origin[2], 0.0f};
    }
}

/* `is_staged`: within a submission, whose staging memory the words take. */
static hed_status send_garments(hed_cloth *cloth, float dt, bool is_staged, hed_error *error)
{
    const uint64_t count = CLOTH_GARMENT_WORDS * (uint64_t)cloth_home_count(cloth);
    float4 *words = hed_new(&cloth->allocator, count, sizeof *words, error);
    if (!words) return HED_ERROR_MEMORY;
    garment_words(cloth, dt, words);
    if (is_staged) {
        cloth_send(cloth, cloth->buffers.garments, 0, words, count * sizeof *words, error);
    } else {
        hed_write(cloth->stream, cloth->buffers.garments, 0, words, count * sizeof *words, error);
        hed_stream_wait(cloth->stream, error->status ? NULL : error);
    }
    hed_delete(&cloth->allocator, words, count, sizeof *words);
    if (error->status) return error->status;
    cloth->host->garments_dt = dt;
    cloth->host->garments_old = false;
    return HED_OK;
}

hed_status cloth_feed_garments(hed_cloth *cloth, float dt, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (cloth->host->garments_dt == dt && !cloth->host->garments_old) return HED_OK;
    return send_garments(cloth, dt, true, error);
}

hed_status cloth_renew_garments(hed_cloth *cloth, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!cloth->host->garments_old) return HED_OK;
    return send_garments(cloth, cloth->host->garments_dt, false, error);
}

/* ---- tethers ---- */

static void fill_tether(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    uint2 *to = (uint2 *)array + first_of(cloth, garment, copy);
    uint32_t first_anchor = cloth->first_anchor[garment] + copy * g->anchor_count;
    for (uint32_t i = 0; i < g->particle_count; i++) {
        bool tethered = g->anchor_count && g->tether_anchor[i] != UINT32_MAX;
        to[i] = tethered ? (uint2){first_anchor + g->tether_anchor[i], as_uint(g->tether_length[i])}
                         : (uint2){CLOTH_NONE, 0};
    }
}

static void fill_anchors(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    uint32_t *to = (uint32_t *)array + cloth->first_anchor[garment] + copy * g->anchor_count;
    for (uint32_t i = 0; i < g->anchor_count; i++)
        to[i] = first_of(cloth, garment, copy) + g->anchors[i];
}

/* ---- driver ---- */

static void fill_driver_map(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    float4 *limits = (float4 *)array + first_of(cloth, garment, copy),
           *more = limits + cloth->particles;
    for (uint32_t i = 0; i < g->particle_count; i++) {
        const float *map = g->driven ? g->driver_map[i] : NULL;
        limits[i] = map ? (float4){map[0], map[1], map[2], map[3]}
                        : (float4){CLOTH_UNDRIVEN, 0.0f, -1.0f, 0.0f};
        more[i] = (float4){map ? map[4] : 0.0f, 0.0f, 0.0f, 0.0f};
    }
}

static void add_normal(const cloth_garment *g, uint32_t triangle, float4 *normals)
{
    const uint32_t *corner = g->triangles[triangle];
    const float *a = g->positions[corner[0]], *b = g->positions[corner[1]],
                *c = g->positions[corner[2]];
    float ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2], vx = c[0] - a[0], vy = c[1] - a[1],
          vz = c[2] - a[2];
    for (int k = 0; k < 3; k++) {
        float4 *normal = &normals[corner[k]];
        normal->x += uy * vz - uz * vy;
        normal->y += uz * vx - ux * vz;
        normal->z += ux * vy - uy * vx;
    }
}

/* Fills the driver with the garments' initial positions and normals, until the program feeds it. */
static void fill_driver(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    float4 *to = (float4 *)array + first_of(cloth, garment, copy), *normals = to + cloth->particles;
    for (uint32_t i = 0; i < g->particle_count; i++)
        to[i] = cloth_from_home(cloth, garment, g->positions[i], 0.0f);
    for (uint32_t t = 0; t < g->triangle_count; t++) add_normal(g, t, normals);
    for (uint32_t i = 0; i < g->particle_count; i++) normals[i] = cloth_unit(normals[i]);
}

hed_status cloth_upload_driver(hed_cloth *cloth, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!cloth->has_driver) return HED_OK;
    cloth_buffers *buffers = &cloth->buffers;
    uint64_t count = 2 * (uint64_t)cloth->particles;
    upload_filled(cloth, fill_driver, count, sizeof(float4), &buffers->driver_from, error);
    upload_filled(cloth, fill_driver, count, sizeof(float4), &buffers->driver_to, error);
    cloth->host->driver_moves = false;
    return error->status;
}

static hed_status upload_driven(hed_cloth *cloth, hed_error *error)
{
    cloth_buffers *buffers = &cloth->buffers;
    uint64_t debug = sizeof(uint2) * (uint64_t)cloth->particles;
    cloth_upload_driver(cloth, error);
    upload_filled(cloth, fill_driver_map, 2 * (uint64_t)cloth->particles, sizeof(float4),
        &buffers->driver_map, error);
    cloth_upload(cloth, NULL, debug, &buffers->debug, error);
    return hed_fill(
        cloth->stream, buffers->debug, 0, debug, &(uint2){0xffffffffu, 0}, sizeof(uint2), error);
}

/* ---- surface ---- */

static void fill_triangles(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    uint32_t *to = (uint32_t *)array +
                   3 * (uint64_t)(cloth->first_triangle[garment] + copy * g->triangle_count);
    for (uint32_t i = 0; i < 3 * g->triangle_count; i++)
        to[i] = first_of(cloth, garment, copy) + g->triangles[i / 3][i % 3];
}

static void fill_incident_at(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    uint32_t *to = (uint32_t *)array + first_of(cloth, garment, copy);
    uint32_t first = 3 * (cloth->first_triangle[garment] + copy * g->triangle_count);
    for (uint32_t i = 0; i <= g->particle_count; i++) to[i] = first + g->incident_at[i];
}

static void fill_incident(const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    uint32_t first = cloth->first_triangle[garment] + copy * g->triangle_count;
    uint32_t *to = (uint32_t *)array + 3 * (uint64_t)first;
    for (uint32_t i = 0; i < 3 * g->triangle_count; i++) to[i] = first + g->incident[i];
}

/* Fills the gases. The smallest volume is a hundredth of the rest volume, for a garment that has
 * become flat. */
static hed_status upload_gases(hed_cloth *cloth, hed_error *error)
{
    uint4 *gases = hed_new(&cloth->allocator, 2 * (uint64_t)cloth->gases, sizeof *gases, error),
          *next = gases;
    for (uint32_t g = 0; gases && g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        if (garment->gas == 0.0f) continue;
        *next++ =
            (uint4){cloth->base_garment + g, cloth->first_triangle[g], garment->triangle_count, 0};
        *next++ = (uint4){
            hed_as_uint(garment->gas), hed_as_uint(0.01f * garment->gas / garment->pressure), 0, 0};
    }
    cloth_upload(
        cloth, gases, 2 * (uint64_t)cloth->gases * sizeof *gases, &cloth->buffers.gases, error);
    hed_delete(&cloth->allocator, gases, 2 * (uint64_t)cloth->gases, sizeof *gases);
    return error->status;
}

hed_status cloth_upload_surface(hed_cloth *cloth, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    uint64_t particles = cloth->particles, corners = 3 * (uint64_t)cloth->triangles;
    if (!b->triangles)
        upload_filled(cloth, fill_triangles, corners, sizeof(uint32_t), &b->triangles, error);
    if (!b->incident_at)
        upload_filled(
            cloth, fill_incident_at, particles + 1, sizeof(uint32_t), &b->incident_at, error);
    if (!b->incident)
        upload_filled(cloth, fill_incident, corners, sizeof(uint32_t), &b->incident, error);
    uint64_t halves = cloth->has_field ? 2 : 1;
    if (!b->air) cloth_upload(cloth, NULL, halves * particles * sizeof(float4), &b->air, error);
    return error->status;
}

/* ---- vertices ---- */

static void fill_vertex_particle(
    const hed_cloth *cloth, uint32_t garment, uint32_t copy, void *array)
{
    const cloth_garment *g = cloth->garments[garment];
    uint32_t *to = (uint32_t *)array + cloth->first_vertex[garment] + copy * g->vertex_count;
    for (uint32_t i = 0; i < g->vertex_count; i++)
        to[i] = first_of(cloth, garment, copy) + g->vertex_particle[i];
}

static hed_status upload_vertices(hed_cloth *cloth, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    bool in_order = true;
    for (uint32_t i = 0; i < cloth->garment_count; i++) {
        const cloth_garment *g = cloth->garments[i];
        in_order = in_order && g->vertex_count == g->particle_count;
        for (uint32_t v = 0; v < g->vertex_count && in_order; v++)
            in_order = g->vertex_particle[v] == v;
    }
    if (!in_order) {
        cloth->host->view.flags |= CLOTH_VIEW_GATHER;
        upload_filled(cloth, fill_vertex_particle, cloth->vertices, sizeof(uint32_t),
            &b->vertex_particle, error);
    }
    for (int i = 0; i < 2; i++)
        cloth_upload(cloth, NULL, cloth->vertices * sizeof(float4), &b->vertices[i], error);
    cloth->host->view.vertices = cloth->vertices;
    if (cloth->has_driver) cloth->host->view.flags |= CLOTH_VIEW_COLOURS;
    return error->status;
}

/* ---- complete upload ---- */

hed_status cloth_upload_all(hed_cloth *cloth, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    uint64_t collider_bytes =
        sizeof(float4) * CLOTH_COLLIDER_WORDS * (uint64_t)cloth->def.max_colliders;
    cloth_upload(cloth, NULL, 64, &b->none, error);
    cloth_upload_start(cloth, error);
    cloth_upload(cloth, NULL,
        CLOTH_GARMENT_WORDS * sizeof(float4) * (uint64_t)cloth_whole(cloth)->garment_count,
        &b->garments, error);
    if (cloth->has_tethers) {
        upload_filled(cloth, fill_tether, cloth->particles, sizeof(uint2), &b->tether, error);
        upload_filled(cloth, fill_anchors, cloth->first_anchor[cloth->garment_count],
            sizeof(uint32_t), &b->anchors, error);
    }
    if (cloth->has_driver) upload_driven(cloth, error);
    if (cloth->def.max_colliders) cloth_upload(cloth, NULL, collider_bytes, &b->colliders, error);
    if (cloth->has_air) cloth_upload_surface(cloth, error);
    cloth_upload_winds(cloth, cloth->def.wind_grid, error);
    cloth->def.wind_grid = NULL; /* the program's */
    if (cloth->gases) upload_gases(cloth, error);
    if (cloth->has_pressure) cloth_upload_pieces(cloth, error);
    upload_vertices(cloth, error);
    cloth_upload(cloth, NULL, 16, &b->flags, error);
    if (error->status) return error->status;
    cloth_upload(cloth, NULL, hed_buffer_describe(b->position).size, &b->good_position, error);
    cloth_upload(cloth, NULL, hed_buffer_describe(b->previous).size, &b->good_previous, error);
    cloth_upload(cloth, NULL, hed_buffer_describe(b->carry).size, &b->good_carry, error);
    return error->status;
}
