/* Stages of a contact iteration, in order: the one list that the launches (contact_launch.c) and
 * the kernel that runs a substep in one launch (contact_substep.cl) both follow. Between two
 * stages all work items meet. After contact_response.h and contact_limit.h. */
#ifndef CLOTH_CONTACT_STAGES_H
#define CLOTH_CONTACT_STAGES_H

typedef enum contact_stage {
    CONTACT_BEGIN,    /* particles: sum of motions */
    CONTACT_CHECK,    /* particles: is the list still valid? grips */
    CONTACT_SLOPES,   /* leaves: slopes of the triangles; only where a list is made */
    CONTACT_BOXES,    /* nodes of a row: boxes, from the last row up; likewise */
    CONTACT_FIND,     /* leaves: overlaps; likewise */
    CONTACT_LIST,     /* overlaps: pairs of the list; likewise */
    CONTACT_TAKE,     /* list: pairs of this iteration */
    CONTACT_PUSH,     /* pairs, up to CONTACT_PUSH_PASSES: weighs, pushes, then CONTACT_APPLY */
    CONTACT_SEPARATE, /* pairs, up to CONTACT_ROUNDS, likewise */
    CONTACT_PULL,     /* leaves, twice before a separation: pulls along stretched edges */
    CONTACT_APPLY,    /* particles: sum of the pushes */
    CONTACT_LIMIT,    /* pairs, CONTACT_LIMIT_ROUNDS times */
    CONTACT_FINISH,   /* particles: end of the limited motion */
    CONTACT_STAGES
} contact_stage;

/* Arrays of all stages. Arrays that a substep in one launch writes are not `restrict`: they may not
 * be read from a cache that other groups bypass. */
#define PAIRS_SUBSTEP(FIRST, NEXT) \
    FIRST(SHARED, float4, boxes) \
    NEXT(IN, contact_triangle, triangles) \
    NEXT(IN, float4, gradients) NEXT(SHARED, float4, slopes) NEXT(SHARED, float4, ranges) \
        NEXT(IN, uint, around_at) NEXT(IN, uint, around) NEXT(IN, uint, convex) NEXT( \
            SHARED, float4, start) NEXT(SHARED, float4, position) NEXT(SHARED, float4, previous) \
            NEXT(SHARED, float4, grips) NEXT(IN, float4, rests) NEXT(IN, float4, bodies) \
                NEXT(IN, float4, garments) NEXT(IN, float4, colliders) NEXT(IN, float4, contact) \
                    NEXT(SHARED, contact_pair, list) NEXT(SHARED, contact_bound, bounds) \
                        NEXT(SHARED, float4, covers) NEXT(SHARED, float4, ahead) \
                            NEXT(SHARED, float, deviations) NEXT(SHARED, contact_pair, pairs) \
                                NEXT(SHARED, contact_plane, planes) NEXT(SHARED, float4, moved) \
                                    NEXT(SHARED, uint, fractions) NEXT(SHARED, int, sums) \
                                        NEXT(SCRATCH, uint, marks) \
                                            NEXT(SHARED, contact_counters, counters) \
                                                NEXT(SCRATCH, uint, state) \
                                                    NEXT(STRUCT, contact_params, params)

/* Runs the stages of a contact iteration by RUN(stage). Sets pass, weighs and round of
 * PARAMS, a contact_params. ROW is the number of nodes of the row that CONTACT_BOXES begins
 * with, of which a group of GROUP_SIZE items refits up to one node. COUNTERS are the device's.
 * Where KNOWN is 0 they are not read and no stage is skipped: a stage without work changes
 * nothing. */
#define CONTACT_ITERATION(RUN, PARAMS, ROW, GROUP_SIZE, COUNTERS, KNOWN) \
    do { \
        RUN(CONTACT_BEGIN); \
        RUN(CONTACT_CHECK); \
        if (!(KNOWN) || (COUNTERS)->iteration[PARAMS.slot].list_needed) { \
            RUN(CONTACT_SLOPES); \
            for (ROW = PARAMS.leaves; ROW > 0; ROW /= 2u * (GROUP_SIZE)) RUN(CONTACT_BOXES); \
            RUN(CONTACT_FIND); \
            RUN(CONTACT_LIST); \
        } \
        RUN(CONTACT_TAKE); \
        PARAMS.pass = 0; \
        uint is_settled_ = 0, is_last_ = 0, pulled_ = 0; \
        uint has_pairs_ = !(KNOWN) || contact_count(COUNTERS, PARAMS) > 0, \
             pushes_end_ = (KNOWN) ? contact_push_passes(COUNTERS, PARAMS) : CONTACT_PUSH_PASSES; \
        while (!is_last_ && has_pairs_) { \
            uint pushes_ = PARAMS.pass < CONTACT_PUSH_PASSES, \
                 separates_ = contact_separates(PARAMS.pass), \
                 pulls_ = !pushes_ && !separates_; \
            /* pushes, and pulls of a round, end with the first that moves no vertex */ \
            uint active_ = 1; \
            for (uint pushed_ = pulls_; active_ && pushed_ < 2; pushed_++) { \
                PARAMS.weighs = !pushed_; \
                if (pushes_) { \
                    RUN(CONTACT_PUSH); \
                } else if (pulls_) { \
                    RUN(CONTACT_PULL); \
                } else { \
                    RUN(CONTACT_SEPARATE); \
                } \
                active_ = !(KNOWN) || contact_is_active(COUNTERS, PARAMS); \
            } \
            if (active_) { \
                RUN(CONTACT_APPLY); \
            } \
            if (pulls_) pulled_ = active_; \
            is_last_ = separates_ && \
                       ((!active_ && !pulled_) || PARAMS.pass + 1u == CONTACT_PASSES); \
            is_settled_ = (KNOWN) && is_last_ && contact_is_settled(COUNTERS, PARAMS); \
            if (active_ || separates_) PARAMS.pass++; \
            if (pushes_ && (!active_ || PARAMS.pass == pushes_end_)) \
                PARAMS.pass = PARAMS.pass > 0 && PARAMS.pulls ? CONTACT_PUSH_PASSES \
                                                              : CONTACT_FIRST_SEPARATION; \
            else if (!pushes_ && (!PARAMS.pulls || (pulls_ && !active_))) \
                PARAMS.pass = contact_next_separation(PARAMS.pass); \
        } \
        for (PARAMS.round = 0; !is_settled_ && PARAMS.round < CONTACT_LIMIT_ROUNDS; \
             PARAMS.round++) { \
            if ((KNOWN) && contact_to_limit(COUNTERS, PARAMS) == 0) break; \
            RUN(CONTACT_LIMIT); \
        } \
        RUN(CONTACT_FINISH); \
    } while (0)

#endif
