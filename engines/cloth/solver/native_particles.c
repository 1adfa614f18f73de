/* Phases of single particles with tethers, a driver, air, colliders: the functions of
 * kernels/particle.h, compiled a second time for processors with fused multiply-add, without which
 * fma() is a call. Both versions give the same bits, because fma() rounds once in both. */
#include "solver/native.h"

#include "contact/contact_lanes.h"
#include "kernels/particle.h"

#define BODY static inline __attribute__((always_inline)) void

BODY integrate(const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        cloth_integrate_one(i, arrays->integrate, cloth_blown(i, arrays->integrate.air, *step));
}

/* ---- colliders, on particles in lanes ---- */

enum { MAX_POSED = 17 }; /* one more than colliders that stay posed */

/* Neighbouring particles of a garment: positions now and at the substep's start. */
typedef struct act_lanes {
    block_lanes at, before;
    uint near[BLOCK_LANES]; /* cloth_is_near_balls() */
    uint marches
        [BLOCK_LANES]; /* true if it may have passed through: cloth_collide_balls() decides */
} act_lanes;

HED_NATIVE_BODY act_near_body(act_lanes *l, const cloth_posed *posed, float thickness)
{
    const float4 bounds = posed->bounds;
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        float4 at = block_float4(&l->at, lane), before = block_float4(&l->before, lane);
        float way = sqrt(cloth_square(at.x - before.x, at.y - before.y, at.z - before.z));
        l->near[lane] = (uint)cloth_is_near_balls(at, way, thickness, bounds);
    }
}
BLOCK_CLONES(
    act_near, (act_lanes * l, const cloth_posed *posed, float thickness), (l, posed, thickness))

HED_NATIVE_BODY act_balls_body(act_lanes *l, const cloth_posed *posed, float thickness)
{
    const cloth_posed of = *posed;
    for (int lane = 0; lane < BLOCK_LANES; lane++) {
        float4 at = block_float4(&l->at, lane), before = block_float4(&l->before, lane);
        cloth_meeting meeting = cloth_meet_balls(at, before, thickness, of);
        float4 lifted = cloth_lift(at, meeting.origin, meeting.end, meeting.met.w, of.kind.y);
        int passes = (of.kind.z != 0.0f) & (int)cloth_is_overstretched(before.w),
            touches = meeting.touches & (at.w > 0.0f) & !passes, moves = touches & !meeting.turned;
        l->marches[lane] = (uint)(touches & meeting.turned);
        l->at.axes[0][lane] = moves ? lifted.x : at.x;
        l->at.axes[1][lane] = moves ? lifted.y : at.y;
        l->at.axes[2][lane] = moves ? lifted.z : at.z;
    }
}
BLOCK_CLONES(
    act_balls, (act_lanes * l, const cloth_posed *posed, float thickness), (l, posed, thickness))

static inline void act_lane(act_lanes *l, uint lane, const cloth_posed *posed, float thickness)
{
    float4 at = block_float4(&l->at, (int)lane), before = block_float4(&l->before, (int)lane);
    if (at.w > 0.0f) at = cloth_collide_posed(at, before, thickness, *posed);
    l->at.axes[0][lane] = at.x, l->at.axes[1][lane] = at.y, l->at.axes[2][lane] = at.z;
}

/* Moves particles in lanes out of a collider. */
static inline void act_collide(act_lanes *l, const cloth_posed *posed, float thickness)
{
    bool is_plane = posed->kind.x == 0.0f;
    if (!is_plane) {
        uint any = 0;
        act_near(l, posed, thickness);
        for (uint lane = 0; lane < BLOCK_LANES; lane++) any |= l->near[lane];
        if (!any) return;
        act_balls(l, posed, thickness);
    }
    for (uint lane = 0; lane < BLOCK_LANES; lane++)
        if (is_plane || l->marches[lane]) act_lane(l, lane, posed, thickness);
}

/* Runs of at most a vector of particles of one garment, whose colliders are posed once: the first
 * MAX_POSED - 1 of them, the others for each run. */
BODY act(const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end)
{
    const cloth_drive_view view = arrays->drive;
    uint32_t garment = UINT32_MAX, count;
    cloth_posed posed[MAX_POSED];
    cloth_cloth cloth = {0};
    act_lanes l;
    for (uint32_t first = begin; first < end; first += count) {
        uint at[BLOCK_LANES], of = (uint)view.previous[first].w;
        bool is_new = of != garment;
        for (count = 1; count < BLOCK_LANES && first + count < end; count++)
            if ((uint)view.previous[first + count].w != of) break;
        for (uint lane = 0; lane < BLOCK_LANES; lane++)
            at[lane] = first + (lane < count ? lane : 0);
        if (is_new) cloth = cloth_garment_at(view.garments, garment = of);
        block_gather(&l.at, view.position, at, 1);
        block_gather(&l.before, view.previous, at, 1);
        for (uint32_t k = 0; k < step->colliders; k++) {
            cloth_posed *pose = posed + (k < MAX_POSED ? k : MAX_POSED - 1);
            if (is_new || k + 1 >= MAX_POSED)
                *pose = cloth_pose(view.colliders + CLOTH_COLLIDER_WORDS * k,
                    cloth_origin_at(view.garments, of), cloth.friction, step->from, step->to);
            act_collide(&l, pose, cloth.thickness);
        }
        for (uint lane = 0; lane < count; lane++)
            cloth_drive_collided(first + lane, block_float4(&l.at, (int)lane),
                block_float4(&l.before, (int)lane), cloth, view, *step);
    }
}

#if defined(__x86_64__)
#define CLONES(name, body) \
    __attribute__((target("avx2,fma"), flatten)) static void name##_fused( \
        const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end) \
    { \
        body(arrays, step, begin, end); \
    } \
    void name(const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end) \
    { \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) \
            name##_fused(arrays, step, begin, end); \
        else body(arrays, step, begin, end); \
    }
#else
#define CLONES(name, body) \
    void name(const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end) \
    { \
        body(arrays, step, begin, end); \
    }
#endif
CLONES(cloth_native_integrate, integrate)
CLONES(cloth_native_act, act)
