/* Writes pages of tunings that never happened, for the browser: tune_report_pages FOLDER. */
#include "tune_synthetic.h"

static int write_page(const char *folder, const char *name, uint32_t count)
{
    char path[512];
    hed_error error;
    synthetic_tuning t = synthetic_make(count, 1);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    hed_status status = hed_tune_report_write(path, HED_REPORT_HTML, synthetic_def(&t), &error);
    if (status != HED_OK) fprintf(stderr, "%s\n", error.text);
    synthetic_free(&t);
    return status != HED_OK;
}

int main(int argc, char **argv)
{
    return argc != 2 || write_page(argv[1], "large.html", 7000) ||
           write_page(argv[1], "small.html", 60);
}
