/* Replacements of the standard streams for static archives, see CMakeLists.txt. */
extern void *heddle_no_stdin, *heddle_no_stdout, *heddle_no_stderr;
void *heddle_no_stdin, *heddle_no_stdout, *heddle_no_stderr;
