/* Contact beyond simple colliders: mesh colliders, balls around particles, and cloth that never
 * crosses cloth. */
#ifndef CLOTH_CONTACT_H
#define CLOTH_CONTACT_H

#include "object/cloth_object.h"

#include "contact/contact_kernels.h"

/* Makes what self-collision needs; mesh colliders are added by the first frame that has them. */
hed_status cloth_contacts_create(hed_cloth *cloth, cloth_contacts **contacts, hed_error *error);
void cloth_contacts_destroy(hed_cloth *cloth, cloth_contacts *contacts);
/* Enqueues: for each particle the plane of the nearest triangle of the mesh colliders into
 * buffers.contact, from positions at the frame's beginning; `seconds` is how far ahead a particle's
 * way is looked along. */
hed_status cloth_contacts_find(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, double seconds, hed_error *error);
/* At a submission's beginning, when places and motion are fed: notes where cloth that never crosses
 * begins, and makes more room for it where the last submissions needed most of it. At the end:
 * what was needed goes on its way to the host. */
hed_status cloth_contacts_begin(hed_cloth *cloth, hed_error *error);
hed_status cloth_contacts_end(hed_cloth *cloth, hed_error *error);
/* Enqueues what keeps cloth from cloth at the end of the substep `step` of `dt` seconds (whose
 * colliders it respects). */
hed_status cloth_contacts_self(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, float dt, hed_error *error);
/* Waits for what is known of cloth that never crosses. */
hed_status cloth_contacts_measure(hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error);
/* The longest way, in m, that a particle may go in a substep so that no ball passes through other
 * balls: for cloth_step.longest_move. 1e9 without them. */
float cloth_contacts_longest_move(const hed_cloth *cloth);
/* Bytes of its buffers. */
uint64_t cloth_contacts_bytes(cloth_contacts *contacts);
/* Moving part of the mesh colliders, for hed_cloth_save(): size, write, check (`contacts` may be
 * NULL), read what was checked. */
uint64_t cloth_contacts_state_size(const cloth_contacts *contacts);
void cloth_contacts_state(const cloth_contacts *contacts, void *state);
hed_status cloth_contacts_check_state(
    const cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error);
hed_status cloth_contacts_set_state(
    hed_cloth *cloth, cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error);
/* Everything jumped: forget where the colliders were. */
hed_status cloth_contacts_reset(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error);
/* Where mesh colliders were goes through a rigid 4 x 4 matrix, column by column. */
void cloth_contacts_move(cloth_contacts *contacts, const float *matrix);

#endif
