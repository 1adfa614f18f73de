/* Vector version of cloth_distance_one() (particle.h), with the operations in the same order. For
 * distance.cl and sets.cl. */
#ifndef CLOTH_PROJECT_H
#define CLOTH_PROJECT_H
#if VECTOR

/* Corrections of cloth_project() for four constraints: factor of the vector between the ends and of
 * an end's inverse mass. */
CLOTH_FUNCTION float4 cloth_part4(float4 square, float4 low, float4 high, float4 weight)
{
#if HED_STRICT
    float4 zero = hed_f4(0.0f), length = sqrt(square);
    float4 allowed = cloth_min4(cloth_max4(length, low), high);
    float4 excess = cloth_pick(cloth_more(length, zero), (length - allowed) / length, zero);
    return cloth_pick(cloth_more(weight, zero), excess / weight, zero);
#else
    float4 inverse = cloth_near_rsqrt(square + 1e-24f);
    return (1.0f - fmin(fmax(hed_f4(1.0f), low * inverse), high * inverse)) *
           cloth_near_rcp(fmax(weight, hed_f4(1e-20f)));
#endif
}

/* Corrections of cloth_project_again() for four constraints; updates the multipliers of constraints
 * with compliance. */
CLOTH_FUNCTION float4 cloth_part_again4(
    float4 square, float4 low, float4 high, float4 weight, float4 give, float4 *multipliers)
{
    float4 zero = hed_f4(0.0f), so_far = *multipliers, length = sqrt(square);
    int4 pulls = cloth_more(zero, so_far), pushes = cloth_more(so_far, zero),
         gives = cloth_more(give, zero);
    float4 bound =
        cloth_pick(pulls, high, cloth_pick(pushes, low, cloth_min4(cloth_max4(length, low), high)));
    float4 total = so_far - fma(give, so_far, length - bound) / weight;
    total = cloth_pick(
        pulls, cloth_min4(total, zero), cloth_pick(pushes, cloth_max4(total, zero), total));
    float4 part = cloth_pick(cloth_more(length, zero), -((total - so_far) / length), zero);
    *multipliers = cloth_pick(gives, total, so_far);
    return cloth_pick(gives, part, cloth_part4(square, low, high, weight));
}

CLOTH_FUNCTION void cloth_store_free(__global float4 *position, uint at, float4 p)
{
    if (p.w > 0.0f) position[at] = p;
}

CLOTH_FUNCTION void cloth_distance_four(uint i, cloth_projection view, float stiffness)
{
    __global float4 *position = view.position;
    __global const uint2 *ends = view.ends;
    __global const float *rests = view.rests;
    __global const ushort *kinds = view.kinds;
    __global const float4 *materials = view.materials;
    __global float *multipliers = view.multipliers;
    uint2 e0 = ends[i], e1 = ends[i + 1], e2 = ends[i + 2], e3 = ends[i + 3];
    float4 rest = hed_f4(rests[i], rests[i + 1], rests[i + 2], rests[i + 3]);
    cloth_four material = cloth_turn(materials[kinds[i]], materials[kinds[i + 1]],
        materials[kinds[i + 2]], materials[kinds[i + 3]]);
    cloth_four a = cloth_turn(position[e0.x], position[e1.x], position[e2.x], position[e3.x]);
    cloth_four b = cloth_turn(position[e0.y], position[e1.y], position[e2.y], position[e3.y]);
    float4 x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, give = material.z * stiffness,
           weight = a.w + b.w + give;
    float4 square = cloth_square4(x, y, z), low = rest * material.x, high = rest * material.y, part;
    if (view.pass == 0) {
        part = cloth_part4(square, low, high, weight);
    } else {
        float4 so_far = hed_f4(0.0f);
        if (view.pass == 2)
            so_far =
                hed_f4(multipliers[i], multipliers[i + 1], multipliers[i + 2], multipliers[i + 3]);
        part = cloth_part_again4(square, low, high, weight, give, &so_far);
        multipliers[i] = so_far.x;
        multipliers[i + 1] = so_far.y;
        multipliers[i + 2] = so_far.z;
        multipliers[i + 3] = so_far.w;
    }
    float4 pa = a.w * part, pb = -(b.w * part);
    a.x = fma(pa, x, a.x);
    a.y = fma(pa, y, a.y);
    a.z = fma(pa, z, a.z);
    b.x = fma(pb, x, b.x);
    b.y = fma(pb, y, b.y);
    b.z = fma(pb, z, b.z);
    a = cloth_turned(a);
    b = cloth_turned(b);
    cloth_store_free(position, e0.x, a.x);
    cloth_store_free(position, e1.x, a.y);
    cloth_store_free(position, e2.x, a.z);
    cloth_store_free(position, e3.x, a.w);
    cloth_store_free(position, e0.y, b.x);
    cloth_store_free(position, e1.y, b.y);
    cloth_store_free(position, e2.y, b.z);
    cloth_store_free(position, e3.y, b.w);
}

#endif
#endif
