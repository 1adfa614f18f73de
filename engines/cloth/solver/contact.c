/* Collisions beyond simple colliders: mesh colliders and cloth against cloth. */
#include "solver/solver.h"

struct cloth_contacts {
    hed_allocator allocator;
};

hed_status cloth_contacts_create(hed_cloth *cloth, cloth_contacts **contacts, hed_error *error)
{
    (void)cloth;
    *contacts = NULL;
    return cloth_fail(error, HED_ERROR_UNSUPPORTED, "self-collision and mesh colliders: not there yet");
}

void cloth_contacts_destroy(hed_cloth *cloth, cloth_contacts *contacts) { (void)cloth, (void)contacts; }

hed_status cloth_contacts_find(hed_cloth *cloth, cloth_contacts *contacts, const hed_cloth_frame *frame, double seconds, hed_error *error)
{
    (void)cloth, (void)contacts, (void)frame, (void)seconds;
    return cloth_fail(error, HED_ERROR_UNSUPPORTED, "mesh colliders: not there yet");
}

hed_status cloth_contacts_self(hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, hed_error *error)
{
    (void)cloth, (void)contacts, (void)step;
    return cloth_fail(error, HED_ERROR_UNSUPPORTED, "self-collision: not there yet");
}

float cloth_contacts_longest_move(const hed_cloth *cloth)
{
    float smallest = 1e9f;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        if (garment->self_collision && garment->thickness < smallest) smallest = garment->thickness;
    }
    return smallest;
}

uint64_t cloth_contacts_bytes(const cloth_contacts *contacts) { return (void)contacts, 0; }
uint64_t cloth_contacts_state_size(const cloth_contacts *contacts) { return (void)contacts, 0; }
void cloth_contacts_state(const cloth_contacts *contacts, void *state) { (void)contacts, (void)state; }

hed_status cloth_contacts_set_state(cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error)
{
    (void)contacts, (void)state, (void)size;
    return cloth_fail(error, HED_ERROR_UNSUPPORTED, "mesh colliders: not there yet");
}

void cloth_contacts_reset(cloth_contacts *contacts) { (void)contacts; }
