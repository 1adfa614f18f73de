/* What static archives find instead of the standard streams, see CMakeLists.txt. */
extern void *heddle_no_stdin, *heddle_no_stdout, *heddle_no_stderr;
void *heddle_no_stdin, *heddle_no_stdout, *heddle_no_stderr;
