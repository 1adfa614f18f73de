/* Choice of a cloth's substeps, where the definition leaves them to the engine. All numbers are
 * those of frames of 1/60 s; of longer frames there are more.
 *
 * With lattices the number hardly depends on the mesh: it is the fewest that pass the gate of
 * heddle cloth bench, and a margin (measured: docs/cloth-stiffness.md). Contact needs more,
 * because cloth folds there at angles that no lattice sees, and a finer mesh folds finer. Without
 * lattices a sweep in substeps of t seconds holds about density x (spacing / t)^2 N/m, so cloth
 * of length L stretches by gravity x L x (t / spacing)^2. Frames with fast bodies have more
 * (frame_substeps.c). */
#include "solver/host.h"
#include "solver/second_order.h"

#include "kernels/element_patch_kernel.h"
#include "model/cloth_lattice.h"
#include "support/strict_math.h"

#include <math.h>

#undef sqrt

enum {
    FRAMES_A_SECOND = 60,
    /* Substeps of cloth that touches nothing, with at most 128 cells along a side, one more for each
     * doubling; with drag or lift, which the gate does not have, BLOWN. REMEMBERED: of sheets with a step
     * of second order, of any size (cloth_remembers()): the gate passes with 2. */
    HUNG = 4,
    REMEMBERED = 3,
    BLOWN = 6,
    /* Meshes by Newton's method, which gives strains their whole stiffness. With bodies, over which
     * cloth folds, NEWTON_TOUCHED of 64 x 64 particles and NEWTON_MORE for each doubling of a side. */
    NEWTON = 4,
    NEWTON_TOUCHED = 10,
    NEWTON_MORE = 4,
    /* Substeps of 64 cells along a side and of the finest grids. LAYERED: of cloth in contact with cloth
     * that no driver leads and no mesh touches: a folded sheet passes the gate with 5, 12 and 16 at 64,
     * 128 and 255 cells, over a ball of half the radius with 9 and 14. SWEPT: of grids of a fabric, whose
     * cells are swept several times, without contact of cloth with cloth, MESHED where bodies may be
     * meshes, whose edges cloth crossed with fewer; *_MORE for each doubling. */
    TOUCHED = 12,
    MOST_TOUCHED = 30,
    LAYERED = 10,
    LAYERED_MORE = 5,
    SWEPT = 8,
    MESHED = 16,
    SWEPT_MORE = 1,
    MESHED_MORE = 2,
    CELLS = 64,
    SUPPORT = 36,
    PLAIN_LOW = 10,
    PLAIN_HIGH = 120
};

/* Longest motion of a body in a substep / edge, and / thickness. Measured on curtains that a
 * line, a bowl, a cone, a ring, a sword and a finger hit at 5 to 40 m/s: with three times as much
 * lattices and contacts stretch them by 100 to 600 %, and they stay tangled with the body. */
static const double body_edge = 0.1, body_thickness = 0.4;

/* Locked vertices x edge / half the length: fewer ones hold a mesh by points. */
static const double PINNED = 0.25;

static double longest_side(const cloth_garment *garment)
{
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < garment->particle_count; i++) {
            low = fmin(low, garment->rest[i][k]);
            high = fmax(high, garment->rest[i][k]);
        }
        longest = fmax(longest, high - low);
    }
    return longest;
}

/* Substeps of 1/60 s that keep the stretch of a garment without lattices below 2 % and that of
 * its fabric by its weight. Under pressure it is below 2 % and the fabric's: a balloon has no
 * equilibrium beyond a stretch of 100 %, so that one which stretches twice as far as its fabric
 * would burst. Its tension is that of the garment's length and of its pressure; where bodies
 * carry it, or locked vertices that are fewer than those along PINNED of half its length, the
 * weight of all hangs from few vertices, SUPPORT times that (measured on a shirt, a dress and a
 * sewn one: docs/cloth-stiffness.md). Elements of a mesh with lattices are swept
 * CLOTH_STRAIN_SWEEPS times and hold that much more of it. A mesh that hangs by two corners needs
 * the sweeps and all of these substeps to pass the gate of heddle cloth bench. */
static double plain_substeps(const cloth_garment *garment, bool carried)
{
    const double gravity = 9.81, frame = 1.0 / FRAMES_A_SECOND;
    double length = 0.5 * longest_side(garment), edge = cloth_mean_edge(garment), mass = 0;
    uint32_t free = 0;
    for (uint32_t i = 0; i < garment->particle_count; i++)
        if (garment->positions[i][3] > 0.0f) mass += 1 / (double)garment->positions[i][3], free++;
    uint32_t locked = garment->particle_count - garment->spare_count - free;
    bool is_swept = garment->element_count && garment->lattice_count;
    carried |= locked && locked * edge < PINNED * length && !is_swept;
    double density = mass / (free * edge * edge);
    const hed_cloth_fabric *fabric = &garment->fabric;
    double hung = density * gravity * length, pressed = fabs((double)garment->pressure) * length,
           sweeps = is_swept ? CLOTH_STRAIN_SWEEPS : 1,
           tension = hung * (carried ? SUPPORT / sweeps : 1) + pressed, strain = 0.02;
    if (garment->has_fabric) strain += hung / fmin(fabric->warp, fabric->weft);
    if (!(edge > 0 && free && length > 0)) return PLAIN_LOW;
    return ceil(frame / (edge * sqrt(strain * density / tension)));
}

uint32_t cloth_choose_substeps(const hed_cloth *cloth)
{
    double substeps = 1, seconds = cloth->def.frame_seconds;
    bool carried = cloth->def.max_colliders > 0 || cloth->def.max_collider_triangles > 0,
         touched = cloth->has_self || cloth->has_driver || carried;
    bool meshed = cloth->def.max_collider_triangles > 0,
         layered = cloth->has_self && !cloth->has_balls && !cloth->has_driver && !meshed;
    uint32_t swept = meshed ? MESHED : SWEPT, more = meshed ? MESHED_MORE : SWEPT_MORE;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        bool is_swept = garment->cell_count && !cloth->has_self;
        double cells = fmax(garment->grid_width, garment->grid_height) / CELLS,
               doublings = hed_strict_log2(fmax(1, cells)),
               contact = is_swept  ? ceil(swept + more * doublings)
                         : layered ? ceil(fmin(LAYERED + LAYERED_MORE * doublings, MOST_TOUCHED))
                                   : fmin(TOUCHED * fmax(1, cells), MOST_TOUCHED),
               hung = garment->drag > 0 || garment->lift > 0 ? BLOWN
                      : cloth_remembers(cloth)               ? REMEMBERED
                                                             : HUNG + fmax(ceil(doublings) - 1, 0),
               needed = touched ? contact : hung;
        if (!garment->tension.at[2])
            needed = fmin(fmax(plain_substeps(garment, carried), PLAIN_LOW), PLAIN_HIGH);
        substeps = fmax(substeps, needed);
    }
    if (seconds > 0) substeps = ceil(substeps * seconds * FRAMES_A_SECOND - 0.01);
    return (uint32_t)fmin(fmax(substeps, 1), 1000);
}

uint32_t cloth_choose_newton_substeps(const hed_cloth *cloth)
{
    double seconds = cloth->def.frame_seconds > 0 ? (double)cloth->def.frame_seconds
                                                  : 1.0 / FRAMES_A_SECOND,
           substeps = 1;
    bool touched = cloth->def.max_colliders > 0 || cloth->def.max_collider_triangles > 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        bool is_blown = garment->drag > 0 || garment->lift > 0;
        double side = sqrt((double)garment->particle_count),
               folds = NEWTON_TOUCHED + NEWTON_MORE * hed_strict_log2(fmax(1, side / CELLS)),
               least = touched    ? ceil(folds)
                       : is_blown ? BLOWN
                                  : NEWTON;
        substeps = fmax(substeps, ceil(least * seconds * FRAMES_A_SECOND - 0.01));
        /* bending is swept once */
        substeps =
            fmax(substeps, cloth_garment_stiffness(garment, seconds, 1, 1, HED_CLOTH_SOLVER_NEWTON)
                               .substeps_for_most);
    }
    return (uint32_t)fmin(substeps, 1000);
}

double cloth_choose_body_motion(const hed_cloth *cloth)
{
    double motion = INFINITY;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        motion = fmin(motion, fmax(body_edge * cloth_mean_edge(garment),
                                  body_thickness * (double)garment->thickness));
    }
    return motion;
}
