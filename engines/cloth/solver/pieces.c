/* Angular momentum of closed garments under pressure (kernels/turn.h): their connected parts, and the
 * launches before and after the constraints of a substep. */
#include "solver/host.h"

/* Parts of all garments under pressure. */
typedef struct turn_pieces {
    uint32_t *joined;  /* (particles of a garment) an earlier particle of its part, or itself */
    uint32_t *number;  /* (particles of a garment) part of a particle that is the first of one */
    uint32_t *members; /* (particles) */
    uint2 *pieces;     /* (particles) first member and number of members */
    uint32_t member_count, piece_count;
} turn_pieces;

/* Returns the first particle of a particle's part. */
static uint32_t first_joined(uint32_t *joined, uint32_t i)
{
    while (joined[i] != i) i = joined[i] = joined[joined[i]];
    return i;
}

static void join(uint32_t *joined, uint32_t a, uint32_t b)
{
    a = first_joined(joined, a);
    b = first_joined(joined, b);
    joined[a > b ? a : b] = a > b ? b : a;
}

/* Adds the parts of a garment; `first`: its first particle. */
static void add_pieces(turn_pieces *all, const cloth_garment *g, uint32_t first)
{
    uint32_t begin = all->piece_count, *joined = all->joined;
    for (uint32_t i = 0; i < g->particle_count; i++) joined[i] = i;
    for (uint32_t t = 0; t < g->triangle_count; t++)
        for (int k = 1; k < 3; k++) join(joined, g->triangles[t][0], g->triangles[t][k]);
    for (uint32_t c = 0; c < g->constraint_count; c++) /* seams are among them */
        join(joined, g->constraints[c].a, g->constraints[c].b);
    for (uint32_t i = 0; i < g->particle_count; i++) {
        uint32_t root = first_joined(joined, i);
        if (root == i) {
            all->number[i] = all->piece_count;
            all->pieces[all->piece_count++] = (uint2){0, 0};
        }
        all->pieces[all->number[root]].y++;
    }
    for (uint32_t p = begin; p < all->piece_count; p++) {
        all->pieces[p].x = all->member_count;
        all->member_count += all->pieces[p].y;
        all->pieces[p].y = 0;
    }
    for (uint32_t i = 0; i < g->particle_count; i++) {
        uint2 *piece = all->pieces + all->number[first_joined(joined, i)];
        all->members[piece->x + piece->y++] = first + i;
    }
}

hed_status cloth_upload_pieces(hed_cloth *cloth, hed_error *error)
{
    const hed_allocator *a = &cloth->allocator;
    uint64_t particles = cloth->particles;
    turn_pieces all = {.joined = hed_new(a, particles, sizeof *all.joined, error),
        .number = hed_new(a, particles, sizeof *all.number, error),
        .members = hed_new(a, particles, sizeof *all.members, error),
        .pieces = hed_new(a, particles, sizeof *all.pieces, error)};
    for (uint32_t g = 0; g < cloth->garment_count && !error->status; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t c = 0; c < garment->copies && garment->pressure != 0.0f; c++)
            add_pieces(&all, garment, cloth->first_particle[g] + c * garment->particle_count);
    }
    cloth_buffers *b = &cloth->buffers;
    cloth->pieces = all.piece_count;
    cloth_upload(cloth, NULL, particles * sizeof(float4), &b->expected, error);
    cloth_upload(cloth, all.members, all.member_count * sizeof *all.members, &b->members, error);
    cloth_upload(cloth, all.pieces, all.piece_count * sizeof *all.pieces, &b->pieces, error);
    hed_delete(a, all.joined, particles, sizeof *all.joined);
    hed_delete(a, all.number, particles, sizeof *all.number);
    hed_delete(a, all.members, particles, sizeof *all.members);
    hed_delete(a, all.pieces, particles, sizeof *all.pieces);
    return error->status;
}

HED_VIEW_LAUNCH(cloth_expect_launch, CLOTH_EXPECT)
HED_VIEW_LAUNCH(cloth_turn_launch, CLOTH_TURN)

hed_status cloth_expect(hed_cloth *cloth, const cloth_step *step, hed_error *error)
{
    const cloth_buffers *b = &cloth->buffers;
    return cloth_run(cloth, CLOTH_KERNEL_EXPECT, cloth->particles,
        HED_VIEW_ARGS(cloth_expect_launch, .position = b->position, .previous = b->previous,
            .carry = b->carry, .garments = b->garments, .air = b->air, .expected = b->expected,
            .step = *step),
        error);
}

hed_status cloth_turn(hed_cloth *cloth, const cloth_step *step, hed_error *error)
{
    const cloth_buffers *b = &cloth->buffers;
    return cloth_run(cloth, CLOTH_KERNEL_TURN, cloth->pieces,
        HED_VIEW_ARGS(cloth_turn_launch, .position = b->position, .carry = b->carry,
            .previous = b->previous, .expected = b->expected, .garments = b->garments,
            .colliders = cloth_or_none(cloth, b->colliders),
            .contact = cloth_or_none(cloth, b->contact),
            .driver_map = cloth_or_none(cloth, b->driver_map), .members = b->members,
            .pieces = b->pieces, .step = *step),
        error);
}
