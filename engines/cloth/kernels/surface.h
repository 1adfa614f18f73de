/* Air: gas in closed garments, normals and areas of a surface, and the wind's field. Included after
 * particle.h. */
#ifndef CLOTH_SURFACE_H
#define CLOTH_SURFACE_H

/* ---- gas in closed garments ---- */

#define CLOTH_GAS_LANES 256u /* lanes of a volume's sum; a lane adds every 256th triangle */

/* `gases`: garment, first triangle, number of triangles, 0; then bits of the amount, Pa m^3, and of
 * the smallest volume, m^3, 0, 0. `dt_square`: square of the time of a substep, s^2. */
#define CLOTH_GAS(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, uint, triangles) \
    NEXT(IN, uint4, gases) NEXT(INOUT, float4, garments) NEXT(VALUE, float, dt_square)
HED_VIEW(cloth_gas_view, CLOTH_GAS)

/* One lane's part of six times the volume enclosed by triangles [first, first + count), m^3. */
CLOTH_FUNCTION float cloth_gas_lane(__global const float4 *position, __global const uint *triangles,
    uint first, uint count, uint lane)
{
    float4 from = position[triangles[3 * first]];
    float sum = 0.0f;
    for (uint t = lane; t < count; t += CLOTH_GAS_LANES) {
        uint at = 3 * (first + t);
        float4 a = cloth_from(position[triangles[at]], from),
               b = cloth_from(position[triangles[at + 1]], from),
               c = cloth_from(position[triangles[at + 2]], from);
        float x = fma(b.y, c.z, -(b.z * c.y)), y = fma(b.z, c.x, -(b.x * c.z)),
              z = fma(b.x, c.y, -(b.y * c.x));
        sum += fma(a.x, x, fma(a.y, y, a.z * z));
    }
    return sum;
}

/* Pressure of a gas * dt^2, kg/m. `amount`: pressure * volume, Pa m^3; `minimum`: lower bound of
 * the volume, m^3. */
CLOTH_FUNCTION float cloth_gas_push(float six_volumes, float amount, float minimum, float dt_square)
{
    return amount * dt_square / hed_max(six_volumes * (1.0f / 6.0f), minimum);
}

/* ---- surfaces ---- */

#define CLOTH_SURFACE(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, uint, incident_at) NEXT(IN, uint, incident) NEXT(IN, uint, triangles) \
        NEXT(OUT, float4, air) NEXT(VALUE, uint, particles) NEXT(VALUE, uint, closed)
HED_VIEW(cloth_surface_view, CLOTH_SURFACE)

/* Computes a particle's unit normal and its area / mass: a third of the area of each triangle
 * around it. `closed`: the area is a third of the length of the sum of the triangles' area vectors,
 * which is the gradient of a closed surface's volume, so that pressure does not move the surface as
 * a whole. */
CLOTH_FUNCTION void cloth_surface_one(uint i, cloth_surface_view view)
{
    __global const float4 *position = view.position;
    __global const uint *triangles = view.triangles;
    float x = 0.0f, y = 0.0f, z = 0.0f, area = 0.0f;
    for (uint k = view.incident_at[i]; k < view.incident_at[i + 1]; k++) {
        uint at = 3 * view.incident[k];
        float4 a = position[triangles[at]], b = position[triangles[at + 1]],
               c = position[triangles[at + 2]];
        float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y,
              vz = c.z - a.z;
        float nx = fma(uy, vz, -(uz * vy)), ny = fma(uz, vx, -(ux * vz)),
              nz = fma(ux, vy, -(uy * vx));
        x += nx;
        y += ny;
        z += nz;
        area += sqrt(cloth_square(nx, ny, nz));
    }
    if (view.closed) area = sqrt(cloth_square(x, y, z));
    float4 normal = cloth_unit(hed_f4(x, y, z, area * (1.0f / 6.0f) * position[i].w));
    view.air[i] = normal;
}

/* ---- the wind's field ---- */

#define CLOTH_FAN_WORDS 3u

/* Parameters of cloth_wind_one(), passed by value. `low`: first node of the grid, m, from the
 * origin; `rate`: cells in a metre; `dt`: length of a substep, s. */
typedef struct cloth_winds {
    uint particles, fans;
    uint nodes_x, nodes_y, nodes_z; /* 0: no grid */
    float low_x, low_y, low_z, rate_x, rate_y, rate_z;
    float dt;
} cloth_winds;

/* `fans`: position from the origin, radius; direction, speed; spread 0 0 0. `air`: the second half
 * is written. */
#define CLOTH_WIND(FIRST, NEXT) \
    FIRST(IN, float4, position) \
    NEXT(IN, float4, previous) NEXT(IN, float4, garments) NEXT(IN, float4, fans) \
    NEXT(IN, float4, grid) NEXT(OUT, float4, air) NEXT(STRUCT, cloth_winds, winds)
HED_VIEW(cloth_wind_view, CLOTH_WIND)

/* Velocity of a fan's jet at a point, m/s (hed_cloth_fan). */
CLOTH_FUNCTION float4 cloth_jet(float4 at, float4 outlet, float4 axis, float spread)
{
    float x = at.x - outlet.x, y = at.y - outlet.y, z = at.z - outlet.z;
    float along = x * axis.x + y * axis.y + z * axis.z;
    float radius = outlet.w + spread * along;
    x -= along * axis.x;
    y -= along * axis.y;
    z -= along * axis.z;
    float part = (x * x + y * y + z * z) / (radius * radius);
    if (along < 0.0f || part >= 1.0f) return hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    float speed = axis.w * outlet.w / radius * ((1.0f - part) * (1.0f - part));
    return hed_f4(speed * axis.x, speed * axis.y, speed * axis.z, 0.0f);
}

/* Cell of a coordinate, in cells from the first node, and the fraction within the cell; returns 0
 * outside of the grid. */
CLOTH_FUNCTION uint cloth_wind_cell(float at, uint nodes, uint *cell, float *part)
{
    if (!(at >= 0.0f && at <= (float)(nodes - 1u))) return 0;
    *cell = (uint)at;
    if (*cell > nodes - 2u) *cell = nodes - 2u;
    *part = at - (float)*cell;
    return 1;
}

/* Velocity of the grid at a point, m/s. */
CLOTH_FUNCTION float4 cloth_grid_wind(float4 at, __global const float4 *grid, cloth_winds winds)
{
    float4 wind = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    uint x, y, z;
    float u, v, w;
    if (!cloth_wind_cell((at.x - winds.low_x) * winds.rate_x, winds.nodes_x, &x, &u) ||
        !cloth_wind_cell((at.y - winds.low_y) * winds.rate_y, winds.nodes_y, &y, &v) ||
        !cloth_wind_cell((at.z - winds.low_z) * winds.rate_z, winds.nodes_z, &z, &w))
        return wind;
    for (uint corner = 0; corner < 8u; corner++) {
        uint i = corner & 1u, j = corner >> 1 & 1u, k = corner >> 2;
        float share = (i ? u : 1.0f - u) * (j ? v : 1.0f - v) * (k ? w : 1.0f - w);
        float4 node = grid[((z + k) * winds.nodes_y + y + j) * winds.nodes_x + x + i];
        wind.x += share * node.x;
        wind.y += share * node.y;
        wind.z += share * node.z;
    }
    return wind;
}

CLOTH_FUNCTION void cloth_wind_one(uint i, cloth_wind_view view)
{
    cloth_winds winds = view.winds;
    float4 at = view.position[i], wind = hed_f4(0.0f, 0.0f, 0.0f, 0.0f),
           origin = cloth_origin_at(view.garments, (uint)view.previous[i].w);
    winds.low_x -= origin.x;
    winds.low_y -= origin.y;
    winds.low_z -= origin.z;
    if (winds.nodes_x) wind = cloth_grid_wind(at, view.grid, winds);
    for (uint f = 0; f < winds.fans; f++) {
        uint word = CLOTH_FAN_WORDS * f;
        float4 jet = cloth_jet(
            at, cloth_from(view.fans[word], origin), view.fans[word + 1u], view.fans[word + 2u].x);
        wind.x += jet.x;
        wind.y += jet.y;
        wind.z += jet.z;
    }
    view.air[winds.particles + i] =
        hed_f4(wind.x * winds.dt, wind.y * winds.dt, wind.z * winds.dt, 0.0f);
}

#endif
