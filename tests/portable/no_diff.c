/* Criterion prints a diff of two unequal strings with three functions of libgit2, which brings ten
 * libraries along. The portable runner does without the diff: both strings are printed above it
 * anyway. */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

int git_libgit2_init(void) { return 1; }

int git_libgit2_shutdown(void) { return 0; }

int git_diff_buffers(void) { return 0; }
