/* Writes pages of tunings that never happened, for the browser: tune_report_pages FOLDER. */
#include "tune_synthetic.h"

static int write_page(const char *folder, const char *name, synthetic_tuning *t)
{
    char path[512];
    hed_error error = {0};
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    if (hed_tune_report_save(synthetic_def(t), path, HED_REPORT_HTML, &error))
        fprintf(stderr, "%s\n", error.text);
    return error.status != HED_OK;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    synthetic_tuning large = synthetic_make(7000, 1), small = synthetic_make(60, 1),
                     wide = synthetic_make(7000, 1), hostile = synthetic_make(60, 1),
                     equal = synthetic_make(2, 1), strange = synthetic_make(60, 1);
    hed_kernel_def wide_kernel, hostile_kernel;
    hed_parameter_def wide_parameters[2], hostile_parameters[HED_MAX_PARAMETERS];
    synthetic_wide(&wide, &wide_kernel, wide_parameters);
    synthetic_hostile(&hostile, &hostile_kernel, hostile_parameters);
    for (uint32_t i = 0; i < 2; i++) {
        hed_evaluation *e = &equal.result.evaluations[i];
        e->outcome = HED_OUTCOME_MEASURED;
        e->seconds = e->low = e->high = 1e-3;
    }
    synthetic_devices(&small);
    synthetic_energy(&small);
    synthetic_counters(&small);
    snprintf(hostile.result.counters_reason, sizeof hostile.result.counters_reason,
        "</script><b>no permission");
    int bad = write_page(argv[1], "large", &large) | write_page(argv[1], "small", &small) |
              write_page(argv[1], "wide", &wide) | write_page(argv[1], "hostile", &hostile) |
              write_page(argv[1], "equal", &equal);
    equal.result.count = 1;
    equal.result.best = 0;
    bad |= write_page(argv[1], "single", &equal);
    for (int step = 0; step < SYNTHETIC_STRANGE; step++) {
        char name[16];
        snprintf(name, sizeof name, "strange%d", step);
        synthetic_strange(&strange, step);
        bad |= write_page(argv[1], name, &strange);
    }
    return bad;
}
