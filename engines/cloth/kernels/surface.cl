/* Kernels of surfaces: normal and area of each particle, from the triangles around it in ascending
 * order; the wind of a field at each particle; pressure of gas from the enclosed volume, summed in
 * one order on every device. */
#ifndef WG
#define WG 256
#endif
#ifndef CLOTH_PHYSICS_H
#include "physics.h"
#include "collide.h"
#include "particle.h"
#include "surface.h"
#endif

__kernel void cloth_surface(HED_VIEW_PARAMETERS(CLOTH_SURFACE))
{
    HED_VIEW_HERE(cloth_surface_view, view, CLOTH_SURFACE);
    uint i = (uint)get_global_id(0);
    if (i < particles) cloth_surface_one(i, view);
}

__kernel void cloth_wind(HED_VIEW_PARAMETERS(CLOTH_WIND))
{
    HED_VIEW_HERE(cloth_wind_view, view, CLOTH_WIND);
    uint i = (uint)get_global_id(0);
    if (i < winds.particles) cloth_wind_one(i, view);
}

/* Computes the pressure of each gas, one group for a gas. */
__kernel void cloth_gas(HED_VIEW_PARAMETERS(CLOTH_GAS))
{
    HED_LOCAL_ARRAY(float, sums, CLOTH_GAS_LANES);
    uint lane = (uint)get_local_id(0);
    uint4 gas = gases[2 * (uint)get_group_id(0)], amounts = gases[2 * (uint)get_group_id(0) + 1];
    sums[lane] = cloth_gas_lane(position, triangles, gas.y, gas.z, lane);
    for (uint left = CLOTH_GAS_LANES / 2; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < left) sums[lane] += sums[lane + left];
    }
    if (lane == 0)
        garments[CLOTH_GARMENT_WORDS * gas.x + 1].w =
            cloth_gas_push(sums[0], as_float(amounts.x), as_float(amounts.y), dt_square);
}
