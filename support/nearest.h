/* "Did you mean": the word of a list that is nearest to the typed one. */
#ifndef HED_SUPPORT_NEAREST_H
#define HED_SUPPORT_NEAREST_H

/* Returns the entry of `words` (ends with NULL) with the fewest insertions, deletions, replacements
 * and swaps of neighbours from `typed` (Damerau 1964), or an entry that begins with `typed`; NULL
 * if no entry is near enough. */
const char *hed_nearest(const char *typed, const char *const *words);

#endif
