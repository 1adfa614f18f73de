/* What a run of a scene says at its end: how long a frame took, how much was done in it, and how
 * good the last frame is. */
#include "run.h"

#include "support/json.h"

#include <inttypes.h>
#include <stdio.h>

void cli_cloth_warn(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "heddle: warning: %s\n", text);
}

static double constraint_rate(const cli_cloth_figures *f, const hed_summary *times)
{
    double each = (double)f->report.constraints * f->substeps * f->iterations;
    return times->mean > 0 ? each / times->mean : 0;
}

static hed_status tell_json(const cli_cloth_figures *f, const hed_summary *times, hed_error *error)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, f->quality.hash);
    hed_records *r = hed_records_create();
    hed_records_next(r);
    hed_records_text(r, "scene", f->scene);
    hed_records_text(r, "device", f->device);
    hed_records_text(r, "math", f->math);
    hed_records_text(r, "structure", hed_cloth_structure_name(f->report.structure));
    hed_records_text(r, "choice", f->report.choice);
    if (f->cache) hed_records_text(r, "out", f->cache);
    if (f->cache) hed_records_integer(r, "samples", f->first + f->frames + 1);
    hed_records_integer(r, "first_frame", f->first + 1);
    hed_records_integer(r, "frames", f->frames);
    hed_records_integer(r, "substeps", f->substeps);
    hed_records_integer(r, "iterations", f->iterations);
    hed_records_integer(r, "garments", f->garments);
    hed_records_integer(r, "particles", f->report.particles);
    hed_records_integer(r, "vertices", f->report.vertices);
    hed_records_integer(r, "constraints", f->report.constraints);
    hed_records_integer(r, "tethers", f->report.tethers);
    hed_records_integer(r, "colours", f->report.colours);
    hed_records_integer(r, "degree", f->report.degree);
    hed_records_integer(r, "smallest_set", f->report.smallest_set);
    hed_records_integer(r, "device_bytes", f->report.device_bytes);
    hed_records_open(r, "frame_ms");
    hed_records_number(r, "p50", 1e3 * times->p50);
    hed_records_number(r, "p99", 1e3 * times->p99);
    hed_records_number(r, "max", 1e3 * times->maximum);
    hed_records_close(r);
    hed_records_number(r, "constraints_per_second", constraint_rate(f, times));
    hed_records_number(r, "worst_stretch", f->quality.worst_stretch);
    hed_records_number(r, "stretch_p99", f->quality.stretch_p99);
    hed_records_number(r, "stretch_p50", f->quality.stretch_p50);
    hed_records_number(r, "residual", f->quality.residual);
    hed_records_number(r, "kinetic_energy", f->quality.kinetic_energy);
    hed_records_text(r, "hash", hash);
    hed_status status = hed_records_print(r, stdout, error);
    hed_records_free(r);
    return status;
}

hed_status cli_cloth_tell(const cli_cloth_figures *f, bool json, hed_error *error)
{
    hed_summary times = hed_summarize(f->seconds, f->frames);
    if (json) return tell_json(f, &times, error);
    printf("%s: frames %" PRIu32 " to %" PRIu32 " on %s, %s, %s\n", f->scene, f->first + 1,
        f->first + f->frames, f->device, hed_cloth_structure_name(f->report.structure), f->math);
    printf("%" PRIu64 " particles, %" PRIu64 " constraints in %" PRIu32 " colours (degree %" PRIu32
           ", "
           "smallest set %" PRIu64 "), %" PRIu32 " substeps\n",
        f->report.particles, f->report.constraints, f->report.colours, f->report.degree,
        f->report.smallest_set, f->substeps);
    printf("a frame: p50 %.3g ms, p99 %.3g ms, max %.3g ms; %.3g constraints/s\n", 1e3 * times.p50,
        1e3 * times.p99, 1e3 * times.maximum, constraint_rate(f, &times));
    printf("last frame: worst stretch %.2g %%, p99 %.2g %%, median %.2g %%; residual %.2g %%\n",
        100 * f->quality.worst_stretch, 100 * f->quality.stretch_p99, 100 * f->quality.stretch_p50,
        100 * f->quality.residual);
    if (f->cache)
        printf("%s: %" PRIu32 " samples, the start and %" PRIu32 " frames\n", f->cache,
            f->first + f->frames + 1, f->first + f->frames);
    return HED_OK;
}
