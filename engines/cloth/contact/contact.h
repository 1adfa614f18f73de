/* Contact beyond simple colliders: mesh colliders, balls around particles, and cloth that never
 * crosses cloth. */
#ifndef CLOTH_CONTACT_H
#define CLOTH_CONTACT_H

#include "object/cloth_object.h"
#include "object/motions.h"

#include "contact/contact_kernels.h"

/* Creates the contacts of self-collision. Mesh colliders are added by the first frame that has
 * them. */
hed_status cloth_contacts_create(hed_cloth *cloth, cloth_contacts **contacts, hed_error *error);
void cloth_contacts_destroy(hed_cloth *cloth, cloth_contacts *contacts);
/* Enqueues the search of the nearest triangle of the mesh colliders for each particle, at the
 * frame's start, into buffers.contact. `seconds`: time for which motions are extrapolated; `until`:
 * fraction of the frame to which later searches may be without boxes of their own. */
hed_status cloth_contacts_find(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, double seconds, double until, hed_error *error);

/* A further search within a frame. */
typedef struct cloth_search {
    double fraction; /* time of the search, as a fraction of the frame */
    double until;    /* fraction up to which boxes are made, and planes are valid */
    /* m; particles that have moved less relative to their planes keep them, and earlier boxes are
     * valid. 0: all are searched */
    double slip;
    uint32_t substeps; /* number for which motions are extrapolated */
    double dt;         /* s, of a substep */
} cloth_search;

hed_status cloth_contacts_find_again(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, cloth_search search, hed_error *error);
/* Writes the thin features of the frame's bodies, after cloth_contacts_find(). `colliders`:
 * (count x CLOTH_COLLIDER_WORDS) as uploaded. */
hed_status cloth_features_feed(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, const float4 *colliders, uint32_t count, hed_error *error);
/* True if the frame's bodies have thin features. */
bool cloth_contacts_have_features(const cloth_contacts *contacts);
/* Enqueues the contact of edges and faces with these at the end of the substep `step`. */
hed_status cloth_contacts_features(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, hed_error *error);
/* Start of a submission, after positions and motion were uploaded: stores the start of the first
 * substep, and grows the capacity for pairs if the last submissions needed more than half of it.
 * End of a submission: copies the counters to the host. */
hed_status cloth_contacts_begin(hed_cloth *cloth, hed_error *error);
hed_status cloth_contacts_end(hed_cloth *cloth, hed_error *error);
/* Enqueues the contact of cloth with cloth at the end of the substep `step` of `dt` seconds. */
hed_status cloth_contacts_self(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, float dt, hed_error *error);
/* Waits for the counters of cloth that never crosses, and sets quality->contact_*. */
hed_status cloth_contacts_measure(hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error);
/* Longest motion of a substep with which no ball passes through other balls, m:
 * cloth_step.longest_move. 1e9 without balls. */
float cloth_contacts_longest_move(const hed_cloth *cloth);
/* Device memory of the contacts, bytes. */
uint64_t cloth_contacts_bytes(cloth_contacts *contacts);
/* State of the mesh colliders for hed_cloth_save(): size, write, check (`contacts` may be NULL),
 * and read a state that was checked. */
uint64_t cloth_contacts_state_size(const cloth_contacts *contacts);
void cloth_contacts_state(const cloth_contacts *contacts, void *state);
hed_status cloth_contacts_check_state(
    const cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error);
hed_status cloth_contacts_set_state(
    hed_cloth *cloth, cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error);
/* Clefts for hed_cloth_save(): marks particles with two planes in the saved carries, and reads the marks.
 * A particle within two bodies at a frame's start stays between them if it was in a cleft before. */
hed_status cloth_clefts_save(hed_cloth *cloth, void *carries, hed_error *error);
hed_status cloth_clefts_load(hed_cloth *cloth, const void *carries, hed_error *error);
/* Forgets the previous positions of the mesh colliders, after a jump. */
hed_status cloth_contacts_reset(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error);
/* Makes the positions of all particles their grips. */
hed_status cloth_contacts_grip(hed_cloth *cloth, hed_error *error);
/* Transforms the previous positions of the mesh colliders by a rigid 4 x 4 matrix, column by
 * column. */
void cloth_contacts_move(cloth_contacts *contacts, const float *matrix);
/* Counts the motions of the meshes in a checked frame, or sums the motions of their vertices,
 * before cloth_contacts_find(). */
void cloth_contacts_sum_motions(
    const cloth_contacts *contacts, const hed_cloth_frame *frame, cloth_motions *motions);
void cloth_contacts_motions(
    const cloth_contacts *contacts, const hed_cloth_frame *frame, cloth_motions *motions);

#endif
