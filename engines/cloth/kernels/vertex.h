/* Vertices of the program: write-back, reading, driver data and rigid motions. Included after
 * particle.h. */
#ifndef CLOTH_VERTEX_H
#define CLOTH_VERTEX_H

/* Parameters of write-back, passed by value. */
typedef struct cloth_view {
    float matrix[16];  /* column by column */
    float normals[12]; /* matrix of normals: three columns of four */
    uint vertices;
    uint flags; /* CLOTH_VIEW_* */
} cloth_view;

#define CLOTH_VIEW_GATHER 1u  /* vertex_particle exists; else vertex i shows particle i */
#define CLOTH_VIEW_COLOURS 2u /* debug exists */
#define CLOTH_VIEW_NORMALS 4u /* air and normals exist */
#define CLOTH_VIEW_APART 8u   /* garments have origins of their own */

CLOTH_FUNCTION float4 cloth_column(const float *matrix, uint column)
{
    return hed_f4(
        matrix[4 * column], matrix[4 * column + 1], matrix[4 * column + 2], matrix[4 * column + 3]);
}

/* Origin of a particle in the program's coordinates. */
CLOTH_FUNCTION float4 cloth_shown_origin(uint particle, __global const float4 *previous,
    __global const float4 *garments, cloth_view view)
{
    float4 last = cloth_column(view.matrix, 3);
    if (!(view.flags & CLOTH_VIEW_APART)) return last;
    return cloth_transform(cloth_origin_at(garments, (uint)previous[particle].w),
        cloth_column(view.matrix, 0), cloth_column(view.matrix, 1), cloth_column(view.matrix, 2),
        last);
}

/* Position of a particle in the program's coordinates, from its origin there. */
CLOTH_FUNCTION float4 cloth_shown(float4 p, float4 origin, cloth_view view)
{
    return cloth_transform(p, cloth_column(view.matrix, 0), cloth_column(view.matrix, 1),
        cloth_column(view.matrix, 2), origin);
}

CLOTH_FUNCTION float4 cloth_shown_normal(float4 normal, cloth_view view)
{
    return cloth_unit(
        cloth_transform(normal, cloth_column(view.normals, 0), cloth_column(view.normals, 1),
            cloth_column(view.normals, 2), hed_f4(0.0f, 0.0f, 0.0f, 0.0f)));
}

/* True if every coordinate is within [-most, most]; false for NaN. */
CLOTH_FUNCTION uint cloth_within(float4 p, float limit)
{
    return fabs(p.x) <= limit && fabs(p.y) <= limit && fabs(p.z) <= limit;
}

CLOTH_FUNCTION uint cloth_finite(float4 p) { return cloth_within(p, 1e30f); }

/* Arrays of which vertices are made. */
#define CLOTH_VERTEX_ARRAYS(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, float4, previous) NEXT(IN, float4, garments) NEXT(IN, cloth_debug, debug) \
        NEXT(IN, uint, vertex_particle) NEXT(IN, float4, air)
#define CLOTH_WRITE_BACK(FIRST, NEXT) \
    CLOTH_VERTEX_ARRAYS(FIRST, NEXT) \
    NEXT(OUT, float4, vertices) \
    NEXT(OUT, float4, normals) NEXT(INOUT, uint, broken) NEXT(STRUCT, cloth_view, show)
HED_VIEW(cloth_write_back_view, CLOTH_WRITE_BACK)

CLOTH_FUNCTION void cloth_write_back_one(uint i, cloth_write_back_view view)
{
    uint flags = view.show.flags,
         particle = (flags & CLOTH_VIEW_GATHER) ? view.vertex_particle[i] : i;
    float4 p = view.position[particle];
    if (!cloth_finite(p)) {
        view.broken[0] = 1;
        /* replaced by 0, so that the program gets finite numbers; hed_cloth_wait() returns the
         * error */
        p = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    uint colour = (flags & CLOTH_VIEW_COLOURS) ? view.debug[particle].x : 0xffffffffu;
    float4 vertex = cloth_shown(
        p, cloth_shown_origin(particle, view.previous, view.garments, view.show), view.show);
    view.vertices[i] = hed_f4(vertex.x, vertex.y, vertex.z, as_float(colour));
    if (flags & CLOTH_VIEW_NORMALS)
        view.normals[i] = cloth_shown_normal(view.air[particle], view.show);
}

/* Kinds of data that hed_cloth_read() returns for a vertex: rows of three floats, and colours of
 * four bytes, without gaps. */
#define CLOTH_READ_POSITIONS 1u
#define CLOTH_READ_NORMALS 2u
#define CLOTH_READ_COLOURS 4u

/* `parts`: CLOTH_READ_*. */
#define CLOTH_READ(FIRST, NEXT) \
    CLOTH_VERTEX_ARRAYS(FIRST, NEXT) \
    NEXT(OUT, float, positions) \
    NEXT(OUT, float, normals) \
    NEXT(OUT, uint, colours) NEXT(STRUCT, cloth_view, show) NEXT(VALUE, uint, parts)
HED_VIEW(cloth_read_view, CLOTH_READ)

CLOTH_FUNCTION void cloth_read_one(uint i, cloth_read_view view)
{
    uint flags = view.show.flags,
         particle = (flags & CLOTH_VIEW_GATHER) ? view.vertex_particle[i] : i;
    if (view.parts & CLOTH_READ_POSITIONS) {
        float4 vertex = cloth_shown(view.position[particle],
            cloth_shown_origin(particle, view.previous, view.garments, view.show), view.show);
        view.positions[3 * i] = vertex.x;
        view.positions[3 * i + 1] = vertex.y;
        view.positions[3 * i + 2] = vertex.z;
    }
    if (view.parts & CLOTH_READ_NORMALS) {
        float4 turned = cloth_shown_normal(view.air[particle], view.show);
        view.normals[3 * i] = turned.x;
        view.normals[3 * i + 1] = turned.y;
        view.normals[3 * i + 2] = turned.z;
    }
    if (view.parts & CLOTH_READ_COLOURS)
        view.colours[i] = (flags & CLOTH_VIEW_COLOURS) ? view.debug[particle].x : 0xffffffffu;
}

/* Kinds of driver data that the program passes: rows of three floats, or pairs of position and
 * normal. cloth_feed_one() copies them into the halves that cloth_drive() reads; a half without
 * data keeps its values. */
#define CLOTH_FEED_POSITIONS 1u
#define CLOTH_FEED_NORMALS 2u
#define CLOTH_FEED_PAIRS 4u     /* instead of POSITIONS and NORMALS */
#define CLOTH_FARTHEST_FED 1e6f /* m, as CLOTH_FARTHEST in the checks of the host */

/* Parameters of cloth_feed_one(), passed by value. `x y z`: the origin, to which that of a garment is
 * added. Floats represent the sum exactly: the difference is rounded once, as it would be from
 * double. */
typedef struct cloth_feeding {
    uint parts; /* CLOTH_FEED_* */
    uint particles;
    float x, y, z;
} cloth_feeding;

#define CLOTH_FEED(FIRST, NEXT) \
    FIRST(IN, float, positions) \
    NEXT(IN, float, normals) NEXT(IN, float4, pairs) NEXT(IN, float4, previous) \
        NEXT(IN, float4, garments) NEXT(IN, float4, driver_map) NEXT(INOUT, float4, driver_to) \
            NEXT(STRUCT, cloth_feeding, fed)
HED_VIEW(cloth_feed_view, CLOTH_FEED)

CLOTH_FUNCTION void cloth_feed_one(uint i, cloth_feed_view view)
{
    __global const float *positions = view.positions, *normals = view.normals;
    __global float4 *driver_to = view.driver_to;
    cloth_feeding fed = view.fed;
    if (view.driver_map[i].x == CLOTH_UNDRIVEN) return;
    float4 origin = cloth_origin_at(view.garments, (uint)view.previous[i].w);
    fed.x += origin.x;
    fed.y += origin.y;
    fed.z += origin.z;
    if (fed.parts & CLOTH_FEED_POSITIONS)
        driver_to[i] = hed_f4(positions[3 * i] - fed.x, positions[3 * i + 1] - fed.y,
            positions[3 * i + 2] - fed.z, 0.0f);
    if (fed.parts & CLOTH_FEED_NORMALS)
        driver_to[fed.particles + i] =
            hed_f4(normals[3 * i], normals[3 * i + 1], normals[3 * i + 2], 0.0f);
    if (fed.parts & CLOTH_FEED_PAIRS) {
        float4 place = view.pairs[2 * i], normal = view.pairs[2 * i + 1];
        /* The program's own memory is untrusted: data out of range leave the driver unchanged. */
        if (!cloth_within(place, CLOTH_FARTHEST_FED) || !cloth_within(normal, 1.01f)) return;
        driver_to[i] = hed_f4(place.x - fed.x, place.y - fed.y, place.z - fed.z, 0.0f);
        driver_to[fed.particles + i] = hed_f4(normal.x, normal.y, normal.z, 0.0f);
    }
}

/* Rigid transformation of an array. */
typedef struct cloth_rigid {
    float matrix[16]; /* column by column */
    uint first, count;
    uint mode; /* CLOTH_MOVE_* */
    /* CLOTH_MOVE_LED: rotation of the motions, three columns of four, and a matrix as `matrix`,
     * whose product with the old position is added to the motion */
    float turn[12];
    float lead[16];
} cloth_rigid;

#define CLOTH_MOVE_POINTS 0u
#define CLOTH_MOVE_DIRECTIONS 1u /* translation left out */
#define CLOTH_MOVE_PARTICLES 2u  /* positions; `previous` and `carry` turn too */
#define CLOTH_MOVE_LED 3u        /* positions; motions of free particles by `turn` and `lead` */

CLOTH_FUNCTION float4 cloth_rigidly(float4 p, cloth_rigid rigid, float4 last)
{
    return cloth_transform(p, cloth_column(rigid.matrix, 0), cloth_column(rigid.matrix, 1),
        cloth_column(rigid.matrix, 2), last);
}

#define CLOTH_MOVE(FIRST, NEXT) \
    FIRST(INOUT, float4, array) \
    NEXT(INOUT, float4, previous) NEXT(INOUT, cloth_carry, carry) NEXT(STRUCT, cloth_rigid, rigid)
HED_VIEW(cloth_move_view, CLOTH_MOVE)

CLOTH_FUNCTION void cloth_move_one(uint i, cloth_move_view view)
{
    cloth_rigid rigid = view.rigid;
    uint at = rigid.first + i;
    float4 zero = hed_f4(0.0f, 0.0f, 0.0f, 0.0f), p = view.array[at];
    float4 moved = cloth_rigidly(
        p, rigid, rigid.mode == CLOTH_MOVE_DIRECTIONS ? zero : cloth_column(rigid.matrix, 3));
    view.array[at] = hed_f4(moved.x, moved.y, moved.z, p.w);
    if (rigid.mode < CLOTH_MOVE_PARTICLES) return;
    float4 before = view.previous[at], loss = cloth_carry_of(view.carry[at]);
    float4 way =
        hed_f4(p.x - before.x + loss.x, p.y - before.y + loss.y, p.z - before.z + loss.z, 0.0f);
    if (rigid.mode == CLOTH_MOVE_LED) {
        if (p.w == 0.0f) return;
        float4 gain = cloth_transform(p, cloth_column(rigid.lead, 0), cloth_column(rigid.lead, 1),
            cloth_column(rigid.lead, 2), cloth_column(rigid.lead, 3));
        way = cloth_transform(way, cloth_column(rigid.turn, 0), cloth_column(rigid.turn, 1),
            cloth_column(rigid.turn, 2), gain);
    } else {
        way = cloth_rigidly(way, rigid, zero);
    }
    before = hed_f4(moved.x - way.x, moved.y - way.y, moved.z - way.z, before.w);
    view.previous[at] = before;
    view.carry[at] = cloth_carry_pack(hed_f4(way.x - (moved.x - before.x),
        way.y - (moved.y - before.y), way.z - (moved.z - before.z), 0.0f));
}

#endif
