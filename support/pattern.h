/* Regular expressions of JavaScript, as a nondeterministic automaton whose states are followed
 * together (Thompson, Regular Expression Search Algorithm, 1968), so that the time is at most
 * length times steps. Look-around, back references and Unicode properties are not supported. */
#ifndef HED_SUPPORT_PATTERN_H
#define HED_SUPPORT_PATTERN_H

#include "heddle/base.h"

enum {
    HED_PATTERN_WHOLE = 1 << 0,    /* the whole text has to fit, not a part of it */
    HED_PATTERN_ANY_CASE = 1 << 1, /* flag i, for ASCII letters */
    HED_PATTERN_SETS = 1 << 2      /* flag v, the syntax of the attribute `pattern`; else no flag */
};

enum { HED_PATTERN_STEPS = 2048, HED_PATTERN_RANGES = 2048, HED_PATTERN_TEXT = 1 << 16 };

typedef struct hed_pattern_step {
    uint8_t kind;
    uint16_t next;         /* SPLIT, JUMP */
    uint16_t alternative;  /* SPLIT */
    uint16_t first, count; /* RANGES: ranges of the character; `negated`: the others */
    bool negated;
} hed_pattern_step;

typedef struct hed_pattern_range {
    uint32_t low, high;
} hed_pattern_range;

typedef struct hed_pattern {
    const char *at; /* while it is read */
    unsigned flags;
    const char *wrong;       /* problem of the syntax; NULL: the pattern is valid */
    const char *unsupported; /* name of a feature that is not supported; NULL: it has no such one */
    int depth;
    uint32_t step_count, range_count;
    uint32_t work; /* steps made so far, repeated ones included */
    /* the last one receives the step that exceeds the limit */
    hed_pattern_step steps[HED_PATTERN_STEPS + 1];
    hed_pattern_range ranges[HED_PATTERN_RANGES];
} hed_pattern;

/* Reads a pattern without its slashes. False: `wrong` or `unsupported` is set. */
bool hed_pattern_read(hed_pattern *pattern, const char *text, unsigned flags);
/* True if a text in UTF-8 fits; a text of more than HED_PATTERN_TEXT bytes does not. */
bool hed_pattern_fits(const hed_pattern *pattern, const char *text, size_t length);

#endif
