/* Kernel of write-back: transforms each vertex's particle by a matrix, with the packed colour in
 * the bits of w. vertex.h has the scalar version. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "vertex.h"
#include "lanes.h"
#endif

#if VECTOR
/* One coordinate of four points transformed by a row of the matrix, as in cloth_transform(). */
CLOTH_FUNCTION float4 cloth_row4(cloth_four p, float m0, float m1, float m2, float4 m3)
{
    return fma(p.z, hed_f4(m2), fma(p.y, hed_f4(m1), fma(p.x, hed_f4(m0), m3)));
}

CLOTH_FUNCTION float4 cloth_small4(float4 v)
{
    return cloth_pick(cloth_more(hed_f4(1e30f), fabs(v)), hed_f4(1.0f), hed_f4(0.0f));
}

CLOTH_FUNCTION void cloth_write_back_four(uint i, cloth_write_back_view view)
{
    __global const float4 *position = view.position, *air = view.air;
    __global const cloth_debug *debug = view.debug;
    cloth_view show = view.show;
    uint k0 = i, k1 = i + 1, k2 = i + 2, k3 = i + 3;
    if (show.flags & CLOTH_VIEW_GATHER) {
        k0 = view.vertex_particle[i];
        k1 = view.vertex_particle[i + 1];
        k2 = view.vertex_particle[i + 2];
        k3 = view.vertex_particle[i + 3];
    }
    cloth_four p = cloth_turn(position[k0], position[k1], position[k2], position[k3]), vertex;
    float4 small = cloth_small4(p.x) * cloth_small4(p.y) * cloth_small4(p.z), zero = hed_f4(0.0f);
    int4 finite = cloth_more(small, zero);
    if (small.x * small.y * small.z * small.w == 0.0f) view.broken[0] = 1;
    p.x = cloth_pick(finite, p.x, zero);
    p.y = cloth_pick(finite, p.y, zero);
    p.z = cloth_pick(finite, p.z, zero);
    cloth_four last = cloth_turn(cloth_shown_origin(k0, view.previous, view.garments, show),
        cloth_shown_origin(k1, view.previous, view.garments, show),
        cloth_shown_origin(k2, view.previous, view.garments, show),
        cloth_shown_origin(k3, view.previous, view.garments, show));
    vertex.x = cloth_row4(p, show.matrix[0], show.matrix[4], show.matrix[8], last.x);
    vertex.y = cloth_row4(p, show.matrix[1], show.matrix[5], show.matrix[9], last.y);
    vertex.z = cloth_row4(p, show.matrix[2], show.matrix[6], show.matrix[10], last.z);
    vertex.w = as_float4(hed_u4(0xffffffffu));
    if (show.flags & CLOTH_VIEW_COLOURS)
        vertex.w = as_float4(hed_u4(debug[k0].x, debug[k1].x, debug[k2].x, debug[k3].x));
    vertex = cloth_turned(vertex);
    view.vertices[i] = vertex.x;
    view.vertices[i + 1] = vertex.y;
    view.vertices[i + 2] = vertex.z;
    view.vertices[i + 3] = vertex.w;
    if (show.flags & CLOTH_VIEW_NORMALS) {
        cloth_four n = cloth_turn(air[k0], air[k1], air[k2], air[k3]), turned;
        turned.x = cloth_row4(n, show.normals[0], show.normals[4], show.normals[8], zero);
        turned.y = cloth_row4(n, show.normals[1], show.normals[5], show.normals[9], zero);
        turned.z = cloth_row4(n, show.normals[2], show.normals[6], show.normals[10], zero);
        turned.w = zero;
        turned = cloth_turned(cloth_unit4(turned));
        view.normals[i] = turned.x;
        view.normals[i + 1] = turned.y;
        view.normals[i + 2] = turned.z;
        view.normals[i + 3] = turned.w;
    }
}
#endif

__kernel void cloth_write_back(HED_VIEW_PARAMETERS(CLOTH_WRITE_BACK))
{
    HED_VIEW_HERE(cloth_write_back_view, view, CLOTH_WRITE_BACK);
    CLOTH_EACH(show.vertices, cloth_write_back_four(i, view), cloth_write_back_one(i, view))
}
