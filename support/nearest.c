/* The nearest word by Damerau-Levenshtein distance, in its restricted form (optimal string
 * alignment). */
#include "support/nearest.h"

#include <stddef.h>
#include <string.h>

enum { LONGEST = 48 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= a_size; i++) rows[i][0] = i;
    for (size_t j = 0; j <= b_size; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        for (size_t j = 1; j <= b_size; j++) {
            size_t cost = smaller(rows[i - 1][j], rows[i][j - 1]) + 1;
            cost = smaller(cost, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost = smaller(cost, rows[i - 2][j - 2] + 1);
            rows[i][j] = cost;
        }
    }
    return rows[a_size][b_size];
}

const char *hed_nearest(const char *typed, const char *const *words)
{
    size_t size = strlen(typed);
    if (size == 0 || size > LONGEST) return NULL;
    const char *nearest = NULL;
    /* limit of changes: beyond it, another word was probably intended */
    size_t best = size / 3 + 1;
    for (; *words; words++) {
        size_t word_size = strlen(*words);
        if (word_size > LONGEST) continue;
        /* A prefix of at least two letters counts as one change. */
        size_t distance = size >= 2 && strncmp(*words, typed, size) == 0
                              ? 1
                              : edit_distance(typed, size, *words, word_size);
        if (distance <= best && (!nearest || distance < best)) {
            nearest = *words;
            best = distance;
        }
    }
    return nearest;
}
