/* Kernel of write-back: transforms each vertex's particle by a matrix, with the packed colour in the
 * bits of w. particle.h has the scalar version. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "lanes.h"
#endif

#if VECTOR
/* One coordinate of four points transformed by a row of the matrix, as in cloth_transform(). */
CLOTH_FUNCTION float4 cloth_row4(cloth_four p, float m0, float m1, float m2, float m3)
{
    return fma(p.z, hed_f4(m2), fma(p.y, hed_f4(m1), fma(p.x, hed_f4(m0), hed_f4(m3))));
}

CLOTH_FUNCTION float4 cloth_small4(float4 v)
{
    return cloth_pick(cloth_more(hed_f4(1e30f), fabs(v)), hed_f4(1.0f), hed_f4(0.0f));
}

CLOTH_FUNCTION void cloth_write_back_four(uint i, __global const float4 *position,
    __global const uint2 *debug, __global const uint *vertex_particle, __global const float4 *air,
    __global float4 *vertices, __global float4 *normals, __global uint *broken, cloth_view view)
{
    uint k0 = i, k1 = i + 1, k2 = i + 2, k3 = i + 3;
    if (view.flags & CLOTH_VIEW_GATHER) {
        k0 = vertex_particle[i];
        k1 = vertex_particle[i + 1];
        k2 = vertex_particle[i + 2];
        k3 = vertex_particle[i + 3];
    }
    cloth_four p = cloth_turn(position[k0], position[k1], position[k2], position[k3]), shown;
    float4 small = cloth_small4(p.x) * cloth_small4(p.y) * cloth_small4(p.z), zero = hed_f4(0.0f);
    int4 finite = cloth_more(small, zero);
    if (small.x * small.y * small.z * small.w == 0.0f) broken[0] = 1;
    p.x = cloth_pick(finite, p.x, zero);
    p.y = cloth_pick(finite, p.y, zero);
    p.z = cloth_pick(finite, p.z, zero);
    shown.x = cloth_row4(p, view.matrix[0], view.matrix[4], view.matrix[8], view.matrix[12]);
    shown.y = cloth_row4(p, view.matrix[1], view.matrix[5], view.matrix[9], view.matrix[13]);
    shown.z = cloth_row4(p, view.matrix[2], view.matrix[6], view.matrix[10], view.matrix[14]);
    shown.w = as_float4(hed_u4(0xffffffffu));
    if (view.flags & CLOTH_VIEW_COLOURS)
        shown.w = as_float4(hed_u4(debug[k0].x, debug[k1].x, debug[k2].x, debug[k3].x));
    shown = cloth_turned(shown);
    vertices[i] = shown.x;
    vertices[i + 1] = shown.y;
    vertices[i + 2] = shown.z;
    vertices[i + 3] = shown.w;
    if (view.flags & CLOTH_VIEW_NORMALS) {
        cloth_four n = cloth_turn(air[k0], air[k1], air[k2], air[k3]), turned;
        turned.x = cloth_row4(n, view.normals[0], view.normals[4], view.normals[8], 0.0f);
        turned.y = cloth_row4(n, view.normals[1], view.normals[5], view.normals[9], 0.0f);
        turned.z = cloth_row4(n, view.normals[2], view.normals[6], view.normals[10], 0.0f);
        turned.w = zero;
        turned = cloth_turned(cloth_unit4(turned));
        normals[i] = turned.x;
        normals[i + 1] = turned.y;
        normals[i + 2] = turned.z;
        normals[i + 3] = turned.w;
    }
}
#endif

__kernel void cloth_write_back(__global const float4 *restrict position,
    __global const uint2 *restrict debug, __global const uint *restrict vertex_particle,
    __global const float4 *restrict air, __global float4 *restrict vertices,
    __global float4 *restrict normals, __global uint *restrict broken, cloth_view view)
{
    CLOTH_EACH(view.vertices,
        cloth_write_back_four(
            i, position, debug, vertex_particle, air, vertices, normals, broken, view),
        cloth_write_back_one(
            i, position, debug, vertex_particle, air, vertices, normals, broken, view))
}
