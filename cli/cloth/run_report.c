/* Report at the end of a scene run: time of a frame, work done in it, and quality of the last
 * frame. */
#include "run.h"

#include "cli/common/report.h"
#include "support/digits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void cli_cloth_warn(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "heddle: warning: %s\n", text);
}

static double constraint_rate(const cli_cloth_figures *f, const hed_summary *times)
{
    double projections = (double)f->report.constraints * f->substeps * f->iterations;
    return times->mean > 0 ? projections / times->mean : 0;
}

/* Fraction of all vertices in all substeps whose motion was cut. */
static double share_cut(const cli_cloth_figures *f)
{
    double vertex_substeps = (double)f->quality.contact_substeps * (double)f->report.particles;
    return vertex_substeps > 0 ? (double)f->quality.contact_cut / vertex_substeps : 0;
}

static hed_status cloth_run_report_tell_json(
    const cli_cloth_figures *f, const hed_summary *times, hed_error *error)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, f->quality.hash);
    const hed_cloth_info *r = &f->report;
    const hed_cloth_metrics *q = &f->quality;
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("scene", f->scene), CLI_TEXT("device", f->device),
        CLI_TEXT("math", f->math), CLI_TEXT("solver", hed_cloth_solver_name(r->solver)),
        CLI_TEXT("choice", r->choice));
    if (f->cache)
        cli_report_more(
            report, CLI_TEXT("out", f->cache), CLI_WHOLE("samples", f->first + f->frames + 1));
    cli_report_more(report, CLI_WHOLE("first_frame", f->first + 1), CLI_WHOLE("frames", f->frames),
        CLI_WHOLE("substeps", f->substeps), CLI_WHOLE("most_substeps", r->most_substeps),
        CLI_WHOLE("iterations", f->iterations), CLI_WHOLE("garments", f->garments),
        CLI_WHOLE("particles", r->particles), CLI_WHOLE("vertices", r->vertices),
        CLI_WHOLE("constraints", r->constraints), CLI_WHOLE("tethers", r->tethers),
        CLI_WHOLE("lattices", r->lattices), CLI_WHOLE("colours", r->colours),
        CLI_WHOLE("degree", r->degree), CLI_WHOLE("smallest_set", r->smallest_set),
        CLI_WHOLE("device_bytes", r->device_bytes));
    cli_report_open(report, "frame_ms");
    cli_report_more(report, CLI_NUMBER("p50", 1e3 * times->p50),
        CLI_NUMBER("p99", 1e3 * times->p99), CLI_NUMBER("max", 1e3 * times->maximum));
    cli_report_close(report);
    cli_report_more(report, CLI_NUMBER("constraints_per_second", constraint_rate(f, times)),
        CLI_NUMBER("worst_stretch", q->worst_stretch), CLI_NUMBER("stretch_p99", q->stretch_p99),
        CLI_NUMBER("stretch_p50", q->stretch_p50), CLI_NUMBER("residual", q->residual),
        CLI_NUMBER("kinetic_energy", q->kinetic_energy), CLI_TEXT("hash", hash));
    if (f->judged) cli_report_more(report, CLI_WHOLE("crossings", f->crossings.cloth));
    if (f->crossings.has_bodies) {
        cli_report_open(report, "bodies");
        cli_report_more(report, CLI_WHOLE("crossings", f->crossings.bodies),
            CLI_WHOLE("pairs_most", q->body_pairs_most), CLI_WHOLE("pressed", q->body_pressed));
        cli_report_close(report);
    }
    if (q->contact_substeps) {
        cli_report_open(report, "contact");
        cli_report_more(report, CLI_WHOLE("pairs", q->contact_pairs),
            CLI_WHOLE("pairs_most", q->contact_pairs_most),
            CLI_WHOLE("substeps", q->contact_substeps), CLI_WHOLE("legs", q->contact_legs),
            CLI_WHOLE("lists", q->contact_lists), CLI_NUMBER("cut", share_cut(f)),
            CLI_WHOLE("still", q->contact_still));
        cli_report_close(report);
    }
    if (f->softest)
        cli_report_more(report, CLI_NUMBER("stiffness_part", f->stiffness.part),
            CLI_WHOLE("substeps_for_most", f->stiffness.substeps_for_most));
    cli_cloth_explain_json(f->explanation, report);
    return cli_report_end(report, HED_OK, error);
}

hed_status cli_cloth_tell(const cli_cloth_figures *f, bool json, hed_error *error)
{
    hed_summary times = hed_summarize(f->seconds, f->frames);
    if (json) return cloth_run_report_tell_json(f, &times, error);
    printf("%s: frames %" PRIu32 " to %" PRIu32 " on %s, %s, %s\n", f->scene, f->first + 1,
        f->first + f->frames, f->device, hed_cloth_solver_name(f->report.solver), f->math);
    printf("%" PRIu64 " particles, %" PRIu64 " constraints in %" PRIu32 " colours (degree %" PRIu32
           ", "
           "smallest set %" PRIu64 "), %" PRIu32 " substeps",
        f->report.particles, f->report.constraints, f->report.colours, f->report.degree,
        f->report.smallest_set, f->substeps);
    if (f->report.most_substeps > f->substeps)
        printf(", up to %" PRIu32 " in frames with fast bodies", f->report.most_substeps);
    printf("\n");
    printf("a frame: p50 %s ms, p99 %s ms, max %s ms; %s million constraints/s\n",
        hed_digits(1e3 * times.p50, 3).text, hed_digits(1e3 * times.p99, 3).text,
        hed_digits(1e3 * times.maximum, 3).text,
        hed_digits(1e-6 * constraint_rate(f, &times), 3).text);
    printf("last frame: worst stretch %s %%, p99 %s %%, median %s %%; residual %s %%\n",
        hed_digits(100 * f->quality.worst_stretch, 2).text,
        hed_digits(100 * f->quality.stretch_p99, 2).text,
        hed_digits(100 * f->quality.stretch_p50, 2).text,
        hed_digits(100 * f->quality.residual, 2).text);
    if (f->quality.contact_substeps)
        printf("contact: %s pairs a vertex, at most %s; %s legs a substep, %s %% of the vertices "
               "cut at its end\n",
            hed_digits((double)f->quality.contact_pairs / (double)f->report.particles, 3).text,
            hed_digits((double)f->quality.contact_pairs_most / (double)f->report.particles, 3).text,
            hed_digits((double)f->quality.contact_legs / (double)f->quality.contact_substeps, 3)
                .text,
            hed_digits(100 * share_cut(f), 2).text);
    if (f->judged)
        printf("%" PRIu64 " pairs of triangles cross in the last frame (all frames: heddle cloth "
               "check)\n",
            f->crossings.cloth);
    if (f->crossings.has_bodies)
        printf("%" PRIu64 " triangles cross bodies in the last frame\n", f->crossings.bodies);
    if (f->quality.body_pressed)
        fprintf(stderr,
            "heddle: warning: bodies left the cloth no room %" PRIu64
            " times, in all substeps: it was pressed, and may cross them\n",
            f->quality.body_pressed);
    if (f->quality.contact_still)
        cli_cloth_warn(NULL,
            "in some substeps all cloth stood still: more pairs could meet than there "
            "was room for");
    if (f->softest && f->stiffness.part < 0.9)
        printf("%s: %" PRIu32 " substeps give %s %% of its fabric's stiffness where they give "
               "least; 90 %% takes %" PRIu32 " (heddle cloth inspect)\n",
            f->softest, f->substeps, hed_digits(100 * f->stiffness.part, 2).text,
            f->stiffness.substeps_for_most);
    if (f->cache) {
        char *caches = cli_cloth_caches(f->cache, f->garments);
        printf("%s: %" PRIu32 " samples, the start and %" PRIu32 " frames\n",
            caches ? caches : f->cache, f->first + f->frames + 1, f->first + f->frames);
        free(caches);
    }
    return cli_cloth_explain_print(f->explanation, error);
}
