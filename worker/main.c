/* heddle-worker: runs tuning's candidates for the program that started it, and ends with it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

int hed_worker_serve(int descriptor); /* src/tune/worker.h: not for other programs */

int main(int count, char **words)
{
    char *end = NULL;
    long descriptor = count == 2 ? strtol(words[1], &end, 10) : -1;
    if (!end || *end || descriptor < 3) return 2;
    /* a parent that died before is noticed by its closed socket */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return hed_worker_serve((int)descriptor);
}
