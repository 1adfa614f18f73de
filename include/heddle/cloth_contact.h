/** @file cloth_contact.h
 *  Contact of cloth with cloth, explained: the vertices that it limits, the pair that limits each
 *  of them, and the reason. Answers "why does this vertex stop here?". Part of heddle-cloth.
 *
 *      hed_cloth_explain_contact(cloth, HED_CLOTH_EXPLAIN_ALL, &error);
 *      hed_cloth_step(cloth, &frame, &error);
 *      limits = hed_cloth_contact_limits(cloth, &count);
 *
 *  docs/cloth-contact.md defines the pairs, planes and contact iterations. */
#ifndef HEDDLE_CLOTH_CONTACT_H
#define HEDDLE_CLOTH_CONTACT_H

#include "heddle/cloth.h"

HED_BEGIN

/** Values of a vertex number with a special meaning. */
enum {
    HED_CLOTH_EXPLAIN_NONE = -1, /**< no vertex: contact is not explained */
    HED_CLOTH_EXPLAIN_ALL = -2   /**< every vertex that contact limits */
};

/** Reason of a hed_cloth_contact_limit. With the first two the motion of the vertex is complete. */
typedef enum hed_cloth_limit_reason {
    HED_CLOTH_LIMIT_NEAR,     /**< the pair is listed, and leaves the vertex alone */
    HED_CLOTH_LIMIT_PUSH,     /**< the pair is nearer than its reach and pushes the vertex */
    HED_CLOTH_LIMIT_PLANE,    /**< a plane between the sides of the pair divides the gap */
    HED_CLOTH_LIMIT_ROUNDING, /**< the gap is below the smallest that floats resolve: frozen */
    /** contacts pushed the vertex as far off its motion as the list of pairs covers; no pair */
    HED_CLOTH_LIMIT_COVER,
    /** more pairs than the list can hold: all vertices are frozen; no vertex, no pair */
    HED_CLOTH_LIMIT_CAPACITY,
    HED_CLOTH_LIMIT_REASON_COUNT
} hed_cloth_limit_reason;

/** Returns the reason's name: "near", "push", "plane", "rounding", "cover" or "capacity". Thread
 *  class: any. */
static inline const char *hed_cloth_limit_reason_name(hed_cloth_limit_reason reason)
{
    static const char *const names[HED_CLOTH_LIMIT_REASON_COUNT] = {
        "near", "push", "plane", "rounding", "cover", "capacity"};
    return (unsigned)reason < HED_CLOTH_LIMIT_REASON_COUNT ? names[reason] : "unknown";
}

/** Limit of one vertex in one contact iteration. Vertices are numbered as in hed_cloth_read();
 *  HED_CLOTH_EXPLAIN_NONE: no vertex. */
typedef struct hed_cloth_contact_limit {
    uint32_t substep;   /**< in the submission, from 0 */
    uint32_t iteration; /**< contact iteration of the substep, from 0 */
    bool continues; /**< a further iteration follows, in which the vertex continues its motion */
    hed_cloth_limit_reason reason;
    int32_t vertex;
    bool edges; /**< edge pair[0] pair[1] against edge pair[2] pair[3] */
    /** otherwise vertex pair[0] against triangle pair[1] pair[2] pair[3] */
    int32_t pair[4];
    /** distance of the sides along their normal at the iteration's start, m; of a COVER: 0 */
    float gap;
    /** motion of the vertex towards the other side along the normal, m: requested by the solver and
     *  by pushes, and allowed; at most `requested` is completed. Of a COVER both are the distance
     *  from its motion at which the vertex is held. */
    float requested, allowed;
    float fraction; /**< fraction of its motion that the vertex completes in the iteration */
} hed_cloth_contact_limit;

/** Starts to explain contact in the frames from now on: for every limited vertex
 *  (HED_CLOTH_EXPLAIN_ALL), or for one vertex with all pairs near it; or ends that
 *  (HED_CLOTH_EXPLAIN_NONE), as at the start. Results of the simulation keep their bits. While it
 *  is on, a substep is a launch for each stage and the device's arrays are read after it, which
 *  takes many times longer; while it is off it costs nothing.
 *  Thread class: owner. Errors: ARGUMENT (no such vertex), UNSUPPORTED (no garment has
 *  HED_CLOTH_SELF_TRIANGLES), MEMORY. */
HED_API hed_status hed_cloth_explain_contact(hed_cloth *cloth, int32_t vertex, hed_error *error);

/** Returns the limits of the last submission, in order of substeps, iterations and vertices; those
 *  of one vertex, by their gaps. They are valid until the next submission. NULL and 0: contact is
 *  not explained, or limited no vertex. Thread class: owner. */
HED_API const hed_cloth_contact_limit *hed_cloth_contact_limits(
    const hed_cloth *cloth, uint32_t *count);

HED_END

#endif
