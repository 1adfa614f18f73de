/* Which triangles of a cloth pass through each other, in double: pairs whose boxes overlap, and
 * that share no corner, are tested edge against face. An edge crosses a face where its ends lie on
 * different sides and the line through them passes all three edges of the face on the same side
 * (signs of four determinants each). Triangles in one plane cross nothing. */
#ifndef HED_TESTS_CLOTH_CROSSING_H
#define HED_TESTS_CLOTH_CROSSING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Six times the volume of a tetrahedron. */
static inline double crossing_volume(const float *a, const float *b, const float *c, const float *d)
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - a[k];
        v[k] = (double)c[k] - a[k];
        w[k] = (double)d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static inline bool crossing_edge(const float *p, const float *q, const float *const t[3])
{
    double above = crossing_volume(t[0], t[1], t[2], p),
           below = crossing_volume(t[0], t[1], t[2], q);
    if (!(above * below < 0)) return false;
    double x = crossing_volume(p, q, t[0], t[1]), y = crossing_volume(p, q, t[1], t[2]),
           z = crossing_volume(p, q, t[2], t[0]);
    return (x > 0 && y > 0 && z > 0) || (x < 0 && y < 0 && z < 0);
}

static inline bool crossing_pair(const float *const a[3], const float *const b[3])
{
    for (int i = 0; i < 3; i++)
        if (crossing_edge(a[i], a[(i + 1) % 3], b) || crossing_edge(b[i], b[(i + 1) % 3], a))
            return true;
    return false;
}

typedef struct crossing_box {
    float low[3], high[3];
    uint32_t triangle;
} crossing_box;

static inline int crossing_compare(const void *a, const void *b)
{
    float p = ((const crossing_box *)a)->low[0], q = ((const crossing_box *)b)->low[0];
    return p < q ? -1 : p > q;
}

/* Pairs that cross, of `count` triangles. */
static inline uint32_t crossing_count(
    const float (*positions)[3], const uint32_t (*triangles)[3], uint32_t count)
{
    crossing_box *boxes = malloc((count ? count : 1) * sizeof *boxes);
    for (uint32_t t = 0; t < count; t++) {
        boxes[t].triangle = t;
        for (int k = 0; k < 3; k++) {
            boxes[t].low[k] = boxes[t].high[k] = positions[triangles[t][0]][k];
            for (int c = 1; c < 3; c++) {
                float place = positions[triangles[t][c]][k];
                if (place < boxes[t].low[k]) boxes[t].low[k] = place;
                if (place > boxes[t].high[k]) boxes[t].high[k] = place;
            }
        }
    }
    qsort(boxes, count, sizeof *boxes, crossing_compare);
    uint32_t crossing = 0;
    for (uint32_t i = 0; i < count; i++) {
        const crossing_box *p = &boxes[i];
        for (uint32_t j = i + 1; j < count && boxes[j].low[0] <= p->high[0]; j++) {
            const crossing_box *q = &boxes[j];
            const uint32_t *a = triangles[p->triangle], *b = triangles[q->triangle];
            bool apart = p->low[1] > q->high[1] || q->low[1] > p->high[1] ||
                         p->low[2] > q->high[2] || q->low[2] > p->high[2];
            for (int c = 0; c < 9 && !apart; c++) apart = a[c / 3] == b[c % 3];
            if (apart) continue;
            const float *corners[2][3];
            for (int c = 0; c < 3; c++) {
                corners[0][c] = positions[a[c]];
                corners[1][c] = positions[b[c]];
            }
            crossing += crossing_pair(corners[0], corners[1]);
        }
    }
    free(boxes);
    return crossing;
}

#endif
