/* Sheets at the gate: n x n particles of rigid tension (shear 40 N/m, bending 1e-5 N m, 0.15 kg/m^2,
 * 2 m x 2 m, from flat, 60 frames a second), hung by two corners or dropped on a ball. In each of
 * the first 60 frames the 99th percentile of the edges' stretch is below 2 %, the longest edge below
 * 5 %, and energy not above the start; after 30 frames, and of hung sheets after 60, the drape is
 * within 4 cm rms of that with REFERENCE_SUBSTEPS. The row is the time of a frame at the fewest substeps that pass, the
 * median of the same frames. */
#include "benchmarks/cloth_gate.h"

#include "cli/cloth/sheet.h"
#include "heddle/author.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 60, HALF = 30, REFERENCE_SUBSTEPS = 60 };
static const double MOST_P99 = 0.02, MOST_WORST = 0.05, MOST_RMS = 0.04;
static const double BALL_RADIUS = 0.4, BALL_BELOW = 0.42;
static const hed_cloth_fabric FABRIC = {1e6f, 1e6f, 40.0f, 1e-5f, 1e-5f, 0.15f, 4e-5f};

typedef struct gate_case {
    const char *name;
    uint32_t n;
    bool ball, lattices;     /* lattices: off for comparison */
    uint32_t threads;        /* 0: as the engine chooses */
    hed_cloth_solver solver; /* COOPERATIVE: on devices with a barrier over the grid */
} gate_case;

static const gate_case CASES[] = {
    {"hung 64 x 64", 64, false, true, 0, HED_CLOTH_SOLVER_AUTO},
    {"hung 64 x 64, one thread", 64, false, true, 1, HED_CLOTH_SOLVER_AUTO},
    {"hung 128 x 128", 128, false, true, 0, HED_CLOTH_SOLVER_AUTO},
    {"hung 128 x 128, one thread", 128, false, true, 1, HED_CLOTH_SOLVER_AUTO},
    {"hung 255 x 255", 255, false, true, 0, HED_CLOTH_SOLVER_AUTO},
    {"hung 255 x 255, one thread", 255, false, true, 1, HED_CLOTH_SOLVER_AUTO},
    {"ball 64 x 64, one thread", 64, true, true, 1, HED_CLOTH_SOLVER_AUTO},
    {"ball 128 x 128", 128, true, true, 0, HED_CLOTH_SOLVER_AUTO},
    {"ball 128 x 128, one thread", 128, true, true, 1, HED_CLOTH_SOLVER_AUTO},
    {"ball 255 x 255", 255, true, true, 0, HED_CLOTH_SOLVER_AUTO},
    {"ball 255 x 255, one thread", 255, true, true, 1, HED_CLOTH_SOLVER_AUTO},
    {"ball 64 x 64", 64, true, true, 0, HED_CLOTH_SOLVER_AUTO},
    {"hung 64 x 64, one thread, no lattices", 64, false, false, 1, HED_CLOTH_SOLVER_AUTO},
    {"hung 64 x 64, one launch", 64, false, true, 0, HED_CLOTH_SOLVER_COOPERATIVE},
    {"hung 128 x 128, one launch", 128, false, true, 0, HED_CLOTH_SOLVER_COOPERATIVE},
    {"hung 255 x 255, one launch", 255, false, true, 0, HED_CLOTH_SOLVER_COOPERATIVE},
    {"ball 64 x 64, one launch", 64, true, true, 0, HED_CLOTH_SOLVER_COOPERATIVE},
    {"ball 128 x 128, one launch", 128, true, true, 0, HED_CLOTH_SOLVER_COOPERATIVE},
    {"ball 255 x 255, one launch", 255, true, true, 0, HED_CLOTH_SOLVER_COOPERATIVE},
};

static const uint32_t SUBSTEPS[] = {
    2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 30, 40, 60, 100, 150, 200};

/* Result of a run of FRAMES frames. */
typedef struct gate_result {
    double seconds[FRAMES];
    double p99, worst, rise; /* maxima; J above the start */
    float *drape[2];         /* after HALF and FRAMES frames, (n n x 3) m */
    hed_cloth_info info;
} gate_result;

static void free_result(gate_result *result)
{
    for (int k = 0; k < 2; k++) free(result->drape[k]);
}

static double energy_of(
    const hed_cloth_garment_def *garment, const float *positions, double kinetic)
{
    for (uint32_t i = 0; i < garment->particle_count; i++)
        if (garment->inverse_masses[i] > 0.0f)
            kinetic += 9.81 * (double)positions[3 * (size_t)i + 1] / garment->inverse_masses[i];
    return kinetic;
}

/* Runs the frames of a sheet and measures each of them. */
static hed_status run_frames(hed_cloth *cloth, const gate_case *c,
    const hed_cloth_garment_def *garment, gate_result *result, hed_error *error)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    const hed_cloth_collider ball = {.shape = HED_CLOTH_SPHERE,
        .a = {0, -(float)BALL_BELOW, 0},
        .radius = {(float)BALL_RADIUS, (float)BALL_RADIUS},
        .friction = 0.4f};
    frame.colliders = &ball;
    frame.collider_count = c->ball;
    result->rise = -INFINITY;
    for (int f = 0; f < FRAMES && !error->status; f++) {
        hed_cloth_metrics quality = {0};
        float *drape = result->drape[f >= HALF];
        uint64_t start = hed_now();
        hed_cloth_step(cloth, &frame, error);
        hed_cloth_wait(cloth, error);
        result->seconds[f] = (double)(hed_now() - start) * 1e-9;
        hed_cloth_evaluate(cloth, &quality, error);
        hed_cloth_read(cloth, drape, NULL, NULL, error);
        result->p99 = fmax(result->p99, quality.stretch_p99);
        result->worst = fmax(result->worst, quality.worst_stretch);
        result->rise = fmax(result->rise, energy_of(garment, drape, quality.kinetic_energy));
        if (hed_interrupted() && !error->status) hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
    }
    result->info = hed_cloth_describe(cloth);
    return error->status;
}

static hed_status run_sheet(const gate_case *c, hed_device *device, uint32_t substeps,
    gate_result *result, hed_error *error)
{
    cli_sheet sheet;
    size_t count = (size_t)c->n * c->n;
    float step = 2.0f / (float)(c->n - 1), inverse_mass = 1 / (FABRIC.density * step * step);
    *result = (gate_result){.p99 = 0};
    if (cli_sheet_create(c->n, &sheet, error)) return error->status;
    for (size_t i = 0; i < count; i++)
        sheet.inverse_masses[i] = c->ball || sheet.inverse_masses[i] > 0.0f ? inverse_mass : 0.0f;
    for (int k = 0; k < 2; k++) result->drape[k] = malloc(count * 3 * sizeof(float));
    hed_cloth_garment_def garment = cli_sheet_garment(&sheet);
    garment.fabric = &FABRIC;
    garment.lattices = c->lattices;
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = &garment;
    def.garment_count = 1;
    def.substeps = substeps;
    def.threads = c->threads;
    def.solver = c->solver;
    hed_cloth *cloth = NULL;
    if (!result->drape[0] || !result->drape[1]) HED_OUT_OF_MEMORY(error, "a drape");
    else if (!hed_cloth_create(device, &def, &cloth, error))
        run_frames(cloth, c, &garment, result, error);
    hed_cloth_destroy(cloth);
    cli_sheet_free(&sheet);
    return error->status;
}

/* Compares the drapes. Folds over a ball choose a side by rounding in the second half. */
static double rms_of(const gate_result *a, const gate_result *b, const gate_case *c)
{
    double most = 0;
    uint32_t n = c->n;
    for (int k = 0; k < (c->ball ? 1 : 2); k++) {
        double sum = 0;
        for (size_t i = 0; i < 3 * (size_t)n * n; i++) {
            double way = (double)a->drape[k][i] - b->drape[k][i];
            sum += way * way;
        }
        most = fmax(most, sqrt(sum / ((double)n * n)));
    }
    return most;
}

static bool gate_passes(const gate_result *result, double rms)
{
    return result->p99 < MOST_P99 && result->worst < MOST_WORST && rms < MOST_RMS &&
           result->rise < 1e-3;
}

static void add_gate_record(const gate_case *c, const gate_result *result, double rms,
    uint32_t substeps, const hed_device_info *info, cli_report *to)
{
    double seconds[FRAMES];
    memcpy(seconds, result->seconds, sizeof seconds);
    hed_summary times = hed_summarize(seconds, FRAMES);
    double rate = (double)result->info.constraints * substeps / times.p50;
    bool passes = gate_passes(result, rms);
    char name[96], stretch[32];
    snprintf(name, sizeof name, "%s, %u substeps%s", c->name, substeps, passes ? "" : ": fails");
    snprintf(stretch, sizeof stretch, "%.2f", 100 * result->worst);
    cli_report_row(to, CLI_TEXT("suite", "cloth"), CLI_TEXT("device", info->id, .heading = "device"),
        CLI_TEXT("name", c->name, .heading = "sheet", .shown = name),
        CLI_NUMBER("value", 1e3 * times.p50, .heading = ">ms a frame", .format = "%.4f"),
        CLI_TEXT("unit", "ms/frame"),
        CLI_NUMBER("spread", 1e3 * times.p50 * hed_bench_spread(&times)),
        CLI_NUMBER("one_frame_a_step", 1e3 * times.p50, .heading = ">one a step", .format = "%.4f"),
        CLI_NUMBER("floor", NAN, .heading = ">bound", .format = "%.4f"),
        CLI_NUMBER("constraints_per_second", rate, .heading = ">constraints/s", .format = "%.3g"),
        CLI_NUMBER("worst_stretch", result->worst, .heading = ">stretch %", .shown = stretch),
        CLI_NUMBER("stretch_p99", result->p99), CLI_NUMBER("drape_rms", rms),
        CLI_WHOLE("substeps", substeps), CLI_TEXT("gate", passes ? "passes" : "fails"),
        CLI_WHOLE("stretch_after_frames", FRAMES),
        CLI_WHOLE("constraints", result->info.constraints),
        CLI_NUMBER("bytes_per_particle",
            (double)result->info.device_bytes / (double)result->info.particles, .heading = ">bytes",
            .format = "%.0f"),
        CLI_TEXT("solver", hed_cloth_solver_name(result->info.solver)),
        CLI_TEXT("choice", result->info.choice, .heading = "how"),
        CLI_TEXT("configured", hed_config_origin_name(result->info.configured)));
}

/* Finds the fewest substeps that pass; if none pass, the row has the most. */
static hed_status run_gate(const gate_case *c, hed_device *device, cli_report *to, hed_error *error)
{
    const hed_device_info info = hed_device_describe(device);
    gate_case reference_case = *c;
    gate_result reference, result = {.p99 = 0};
    reference_case.lattices = true;
    reference_case.threads = 0;
    reference_case.solver = HED_CLOTH_SOLVER_AUTO;
    run_sheet(&reference_case, device, REFERENCE_SUBSTEPS, &reference, error);
    for (size_t k = 0; k < HED_COUNT(SUBSTEPS) && !error->status; k++) {
        if (run_sheet(c, device, SUBSTEPS[k], &result, error)) break;
        double rms = rms_of(&result, &reference, c);
        bool ends = gate_passes(&result, rms) || k + 1 == HED_COUNT(SUBSTEPS);
        if (ends) add_gate_record(c, &result, rms, SUBSTEPS[k], &info, to);
        if (ends) break;
        free_result(&result);
    }
    free_result(&result);
    free_result(&reference);
    return error->status;
}

bool cloth_gate_matches(const char *only)
{
    for (size_t i = 0; i < HED_COUNT(CASES); i++)
        if (!only || strstr(CASES[i].name, only)) return true;
    return false;
}

hed_status cloth_gate_run(hed_device *device, const char *only, cli_report *to, hed_error *error)
{
    for (size_t i = 0; i < HED_COUNT(CASES) && !error->status; i++) {
        const hed_device_info info = hed_device_describe(device);
        bool on_host = strcmp(info.backend, "host") == 0, is_cooperative = CASES[i].solver;
        if (is_cooperative && !(info.capabilities & HED_CAN_GRID_BARRIER)) continue;
        if ((only && !strstr(CASES[i].name, only)) || (CASES[i].threads && !on_host)) continue;
        hed_status status = run_gate(&CASES[i], device, to, error);
        if (status != HED_ERROR_UNSUPPORTED && status != HED_ERROR_DEVICE_MEMORY) continue;
        fprintf(stderr, "heddle: %s on %s: %s\n", CASES[i].name, info.id, error->text);
        hed_error_clear(error);
    }
    return error->status;
}
