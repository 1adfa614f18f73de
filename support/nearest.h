/* "Did you mean": the word of a list that is nearest to what was typed. */
#ifndef HED_SUPPORT_NEAREST_H
#define HED_SUPPORT_NEAREST_H

/* The entry of `words` (ends with NULL) with the fewest insertions, deletions, replacements and
 * swaps of neighbours from `typed` (Damerau 1964), or one that `typed` begins; NULL if none is near
 * enough to be meant. */
const char *hed_nearest(const char *typed, const char *const *words);

#endif
