/* Sheets at the gate: hung, dropped on a ball, of irregular triangles, or folded over in contact
 * (cloth_gate_sheet.h). In each of the first 60 frames the 99th percentile of the edges' stretch is
 * below 2 %, the longest edge below 5 %, and energy not above the start; after 30 frames, and of
 * hung sheets after 60, the drape is within 4 cm rms of that with REFERENCE_SUBSTEPS, of a mesh with
 * MESH_REFERENCE_SUBSTEPS: with 60 its stretch is not converged; a folded
 * sheet never crosses itself or the ball. A fabric that gives is allowed the stretch of its reference and a
 * tenth. A sheet over a ball chooses its folds by chance: references whose starts differ by less than a tenth of a
 * millimetre are 4 to 5 cm apart. So the means of STARTS drapes, each in its eight mirror images, are
 * compared, within 2 cm. The row is the time of a frame at the fewest substeps that pass, the median of the same
 * frames. Bisection from the engine's choice finds them. */
#include "benchmarks/cloth_gate.h"
#include "benchmarks/cloth_row.h"

#include "heddle/author.h"
#include "heddle/cloth_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HALF = CLOTH_GATE_FRAMES / 2,
    REFERENCE_SUBSTEPS = 60,
    MESH_REFERENCE_SUBSTEPS = 240,
    STARTS = 4
};
static const double MOST_P99 = 0.02, MOST_WORST = 0.05, MOST_RMS = 0.04, MOST_MEAN_RMS = 0.02,
                    GIVEN = 1.1;
static const double BALL_BELOW = 0.42;

static const cloth_gate_case CASES[] = {
    {"hung 64 x 64", 64, CLOTH_GATE_HUNG, .lattices = true},
    {"hung 64 x 64, one thread", 64, CLOTH_GATE_HUNG, .lattices = true, .threads = 1},
    {"hung 128 x 128", 128, CLOTH_GATE_HUNG, .lattices = true},
    {"hung 128 x 128, one thread", 128, CLOTH_GATE_HUNG, .lattices = true, .threads = 1},
    {"hung 255 x 255", 255, CLOTH_GATE_HUNG, .lattices = true},
    {"hung 255 x 255, one thread", 255, CLOTH_GATE_HUNG, .lattices = true, .threads = 1},
    {"ball 64 x 64, one thread", 64, CLOTH_GATE_BALL, .lattices = true, .threads = 1},
    {"ball 128 x 128", 128, CLOTH_GATE_BALL, .lattices = true},
    {"ball 128 x 128, one thread", 128, CLOTH_GATE_BALL, .lattices = true, .threads = 1},
    {"ball 255 x 255", 255, CLOTH_GATE_BALL, .lattices = true},
    {"ball 255 x 255, one thread", 255, CLOTH_GATE_BALL, .lattices = true, .threads = 1},
    {"ball 64 x 64", 64, CLOTH_GATE_BALL, .lattices = true},
    {"hung 64 x 64, one thread, no lattices", 64, CLOTH_GATE_HUNG, .threads = 1},
    {"folded 64 x 64", 64, CLOTH_GATE_FOLDED, .lattices = true, .is_slow = true},
    {"folded 255 x 255", 255, CLOTH_GATE_FOLDED, .lattices = true, .is_slow = true},
    {"mesh of 29,929", 173, CLOTH_GATE_MESH, .lattices = true, .is_slow = true},
    {"hung 1024 x 1024, a row of pins", 1024, CLOTH_GATE_ROW, .lattices = true, .is_slow = true},
    {"hung 1024 x 1024, two corners, p99 alone", 1024, CLOTH_GATE_HUNG, .lattices = true,
        .p99_alone = true, .is_slow = true},
};

static const uint32_t SUBSTEPS[] = {
    2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 30, 40, 60, 100, 150, 200};

/* ---- a run ---- */

typedef struct gate_run {
    cloth_gate_row row;
    float *drape[2];  /* after HALF and all frames, (particles x 3) m */
    float *positions; /* of each frame of a FOLDED sheet, (frames x particles x 3) m; else NULL */
} gate_run;

static void free_run(gate_run *run)
{
    for (int k = 0; k < 2; k++) free(run->drape[k]);
    free(run->positions);
}

static double energy_of(
    const hed_cloth_garment_def *garment, const float *positions, double kinetic)
{
    for (uint32_t i = 0; i < garment->particle_count; i++)
        if (garment->inverse_masses[i] > 0.0f)
            kinetic += 9.81 * (double)positions[3 * (size_t)i + 1] / garment->inverse_masses[i];
    return kinetic;
}

static hed_cloth_collider gate_ball(void)
{
    return (hed_cloth_collider){.shape = HED_CLOTH_SPHERE,
        .a = {0, -(float)BALL_BELOW, 0},
        .radius = {CLOTH_GATE_BALL_RADIUS, CLOTH_GATE_BALL_RADIUS},
        .friction = 0.4f};
}

hed_status cloth_gate_count(
    const cloth_gate_sheet *sheet, const float *positions, cloth_gate_row *row, hed_error *error)
{
    const hed_cloth_collider ball = gate_ball();
    const hed_cloth_check_surface surface = {.vertex_count = sheet->garment.particle_count,
        .triangle_count = sheet->face_count,
        .positions = positions,
        .triangles = sheet->faces};
    const hed_cloth_check_def def = {
        .surfaces = &surface, .surface_count = 1, .shapes = &ball, .shape_count = 1};
    hed_cloth_crossings found = {.deepest = 0};
    hed_cloth_check(&def, &found, error);
    row->crossings += found.count[HED_CLOTH_CROSSES_ITSELF];
    row->ball_crossings += found.count[HED_CLOTH_CROSSES_SHAPE];
    hed_cloth_crossings_free(&found);
    return error->status;
}

bool cloth_gate_allows(
    const cloth_gate_case *c, const cloth_gate_row *reference, const cloth_gate_row *row)
{
    double p99 = MOST_P99, worst = c->p99_alone ? INFINITY : MOST_WORST;
    if (c->kind == CLOTH_GATE_MESH) {
        p99 = fmax(p99, GIVEN * reference->p99);
        worst = fmax(worst, GIVEN * reference->worst);
    }
    return row->p99 < p99 && row->worst < worst && row->rise < 1e-3 && row->crossings == 0 &&
           row->ball_crossings == 0;
}

/* Measures a frame that is done. */
static hed_status judge_frame(hed_cloth *cloth, const hed_cloth_garment_def *garment,
    double start_energy, float *drape, cloth_gate_row *row, hed_error *error)
{
    hed_cloth_metrics quality = {0};
    hed_cloth_evaluate(cloth, &quality, error);
    if (hed_cloth_read(cloth, drape, NULL, NULL, error)) return error->status;
    row->p99 = fmax(row->p99, quality.stretch_p99);
    row->worst = fmax(row->worst, quality.worst_stretch);
    double energy = energy_of(garment, drape, quality.kinetic_energy);
    row->rise = fmax(row->rise, energy - start_energy);
    return error->status;
}

/* Runs the frames of a sheet and measures each of them, until one is beyond what its reference allows;
 * `reference` NULL: it is the reference, which has no limits. */
static hed_status run_frames(hed_cloth *cloth, const cloth_gate_case *c,
    const cloth_gate_sheet *sheet, uint32_t frames, const cloth_gate_row *reference, gate_run *run,
    hed_error *error)
{
    cloth_gate_row *row = &run->row;
    hed_cloth_frame frame = hed_default_cloth_frame();
    const hed_cloth_collider ball = gate_ball();
    double start_energy = energy_of(&sheet->garment, sheet->garment.positions, 0);
    frame.colliders = &ball;
    frame.collider_count = cloth_gate_falls(c->kind);
    row->rise = -INFINITY;
    for (uint32_t f = 0; f < frames && !error->status; f++) {
        uint64_t start = hed_now();
        hed_cloth_step(cloth, &frame, error);
        hed_cloth_wait(cloth, error);
        row->seconds[f] = (double)(hed_now() - start) * 1e-9;
        row->frames++;
        judge_frame(cloth, &sheet->garment, start_energy, run->drape[f >= HALF], row, error);
        size_t values = 3 * (size_t)sheet->garment.particle_count;
        if (run->positions)
            memcpy(run->positions + f * values, run->drape[f >= HALF], values * sizeof(float));
        if (hed_interrupted() && !error->status) hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
        if (reference && !cloth_gate_allows(c, reference, row)) break;
    }
    row->info = hed_cloth_describe(cloth);
    return error->status;
}

/* Position of particle (x, y) of an n x n sheet in mirror image k of its drape, 0 to 7. */
static void image_of(
    const float *drape, uint32_t n, uint32_t x, uint32_t y, uint32_t k, float position[3])
{
    uint32_t column = k & 4 ? y : x, row = k & 4 ? x : y;
    if (k & 1) column = n - 1 - column;
    if (k & 2) row = n - 1 - row;
    const float *at = drape + 3 * ((size_t)row * n + column);
    float across = k & 1 ? -at[0] : at[0], along = k & 2 ? -at[2] : at[2];
    position[0] = k & 4 ? along : across;
    position[1] = at[1];
    position[2] = k & 4 ? across : along;
}

/* Adds the mean of the eight mirror images of an n x n sheet's drape, times `part`, to `sum`. */
static void add_images(const float *drape, uint32_t n, float part, float *sum)
{
    for (uint32_t i = 0; i < n * n; i++)
        for (uint32_t k = 0; k < 8; k++) {
            float at[3];
            image_of(drape, n, i % n, i / n, k, at);
            for (size_t axis = 0; axis < 3; axis++)
                sum[3 * (size_t)i + axis] += part / 8 * at[axis];
        }
}

/* Runs a sheet. `start`: number of the unevenness of a sheet over a ball; those after the first
 * run until their drape is compared. */
static hed_status run_sheet(const cloth_gate_case *c, hed_device *device, uint32_t substeps,
    uint32_t start, const cloth_gate_row *reference, gate_run *run, hed_error *error)
{
    cloth_gate_sheet sheet;
    size_t count = (size_t)c->n * c->n;
    *run = (gate_run){.row.substeps = substeps};
    if (cloth_gate_sheet_create(c->kind, c->n, &sheet, error)) return error->status;
    for (int k = 0; k < 2; k++) run->drape[k] = malloc(count * 3 * sizeof(float));
    bool is_kept = c->kind == CLOTH_GATE_FOLDED && reference;
    if (is_kept) run->positions = malloc(CLOTH_GATE_FRAMES * count * 3 * sizeof(float));
    if (c->kind == CLOTH_GATE_BALL) cloth_gate_sheet_roughen(&sheet, start);
    sheet.garment.lattices = c->lattices;
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = &sheet.garment;
    def.garment_count = 1;
    def.substeps = substeps;
    def.threads = c->threads;
    def.max_colliders = cloth_gate_falls(c->kind) ? 1 : 0;
    hed_cloth *cloth = NULL;
    if (!run->drape[0] || !run->drape[1] || (is_kept && !run->positions))
        HED_OUT_OF_MEMORY(error, "a drape");
    else if (!hed_cloth_create(device, &def, &cloth, error))
        run_frames(cloth, c, &sheet, start ? HALF : CLOTH_GATE_FRAMES, reference, run, error);
    hed_cloth_destroy(cloth);
    cloth_gate_sheet_free(&sheet);
    return error->status;
}

/* Runs a sheet, over a ball from all starts: its first drape is the mean of their images. */
static hed_status run_starts(const cloth_gate_case *c, hed_device *device, uint32_t substeps,
    const cloth_gate_row *reference, gate_run *run, hed_error *error)
{
    run_sheet(c, device, substeps, 0, reference, run, error);
    if (c->kind != CLOTH_GATE_BALL || error->status ||
        (reference && !cloth_gate_allows(c, reference, &run->row)))
        return error->status;
    float *mean = calloc((size_t)c->n * c->n, 3 * sizeof *mean);
    if (!mean) return HED_OUT_OF_MEMORY(error, "a drape");
    add_images(run->drape[0], c->n, 1.0f / STARTS, mean);
    for (uint32_t start = 1; start < STARTS && !error->status; start++) {
        gate_run further;
        if (!run_sheet(c, device, substeps, start, NULL, &further, error))
            add_images(further.drape[0], c->n, 1.0f / STARTS, mean);
        free_run(&further);
    }
    free(run->drape[0]);
    run->drape[0] = mean;
    return error->status;
}

/* ---- the gate ---- */

/* Compares the drapes. Folds over a ball choose a side by rounding in the second half. */
static double rms_of(const gate_run *a, const gate_run *b, const cloth_gate_case *c)
{
    double most = 0;
    uint32_t n = c->n;
    for (int k = 0; k < (cloth_gate_falls(c->kind) ? 1 : 2); k++) {
        double sum = 0;
        for (size_t i = 0; i < 3 * (size_t)n * n; i++) {
            double way = (double)a->drape[k][i] - b->drape[k][i];
            sum += way * way;
        }
        most = fmax(most, sqrt(sum / ((double)n * n)));
    }
    return most;
}

/* Counts the crossings of all frames of a FOLDED sheet, until one crosses. A count takes longer than a
 * frame, so runs that fail another measure, or that are not the result, have none. */
static hed_status count_crossings(const cloth_gate_case *c, gate_run *run, hed_error *error)
{
    cloth_gate_sheet sheet;
    cloth_gate_row *row = &run->row;
    if (!run->positions || cloth_gate_sheet_create(c->kind, c->n, &sheet, error))
        return error->status;
    size_t values = 3 * (size_t)sheet.garment.particle_count;
    for (uint32_t f = 0; f < row->frames && !error->status; f++) {
        cloth_gate_count(&sheet, run->positions + f * values, row, error);
        if (row->crossings || row->ball_crossings) break;
    }
    cloth_gate_sheet_free(&sheet);
    return error->status;
}

/* Runs a sheet at SUBSTEPS[k] and judges it, except for its crossings. `found`: result of the search so far, which
 * the run replaces if it passes, or if no run has. Returns true if it passes. */
static bool try_substeps(const cloth_gate_case *c, hed_device *device, size_t k,
    const gate_run *reference, gate_run *found, hed_error *error)
{
    gate_run run;
    bool passes = !run_starts(c, device, SUBSTEPS[k], &reference->row, &run, error) &&
                  cloth_gate_allows(c, &reference->row, &run.row);
    run.row.rms = passes ? rms_of(&run, reference, c) : NAN;
    run.row.passes = run.row.rms < (c->kind == CLOTH_GATE_BALL ? MOST_MEAN_RMS : MOST_RMS);
    passes = run.row.passes;
    if (passes || !found->row.passes) {
        free_run(found);
        *found = run;
    } else {
        free_run(&run);
    }
    return passes;
}

/* Finds the first of SUBSTEPS that are at least as many as the engine chooses. */
static size_t chosen_substeps(const cloth_gate_case *c, hed_device *device, hed_error *error)
{
    cloth_gate_sheet sheet;
    hed_cloth *cloth = NULL;
    size_t k = 0;
    if (cloth_gate_sheet_create(c->kind, c->n, &sheet, error)) return 0;
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = &sheet.garment;
    def.garment_count = 1;
    def.max_colliders = cloth_gate_falls(c->kind) ? 1 : 0;
    if (!hed_cloth_create(device, &def, &cloth, error))
        while (k + 1 < HED_COUNT(SUBSTEPS) && SUBSTEPS[k] < hed_cloth_describe(cloth).substeps) k++;
    hed_cloth_destroy(cloth);
    cloth_gate_sheet_free(&sheet);
    return k;
}

hed_status cloth_gate_find(
    const cloth_gate_case *c, hed_device *device, cloth_gate_row *row, hed_error *error)
{
    cloth_gate_case reference_case = *c;
    gate_run reference, found = {.row.passes = false};
    reference_case.lattices = true;
    reference_case.threads = 0;
    uint32_t substeps = c->kind == CLOTH_GATE_MESH ? MESH_REFERENCE_SUBSTEPS : REFERENCE_SUBSTEPS;
    run_starts(&reference_case, device, substeps, NULL, &reference, error);
    /* SUBSTEPS[k] fail for k < low and pass for k = high, if that is not the end */
    const size_t end = HED_COUNT(SUBSTEPS);
    size_t k = error->status ? 0 : chosen_substeps(c, device, error), low = 0, high = end;
    while (low < high && !error->status) {
        if (try_substeps(c, device, k, &reference, &found, error)) high = k;
        else low = k + 1;
        k = high < end ? (low + high) / 2 : low;
        if (low < high || high == end || error->status) continue;
        count_crossings(c, &found, error);
        found.row.passes = cloth_gate_allows(c, &reference.row, &found.row);
        if (found.row.passes) break;
        low = k = high + 1;
        high = end;
    }
    *row = found.row;
    free_run(&found);
    free_run(&reference);
    return error->status;
}

/* ---- rows ---- */

static void add_gate_record(const cloth_gate_case *c, const cloth_gate_row *result,
    const hed_device_info *info, cli_report *to)
{
    double seconds[CLOTH_GATE_FRAMES];
    memcpy(seconds, result->seconds, sizeof seconds);
    hed_summary times = hed_summarize(seconds, result->frames);
    bool is_judged = c->kind == CLOTH_GATE_FOLDED;
    char name[96], stretch[32];
    snprintf(name, sizeof name, "%s, %u substeps%s", c->name, result->substeps,
        result->passes ? "" : ": fails");
    snprintf(stretch, sizeof stretch, "%.2f", 100 * result->worst);
    const cloth_row row = {.device = info->id,
        .name = c->name,
        .shown = name,
        .stretch = stretch,
        .substeps = result->substeps,
        .frames = result->frames,
        .seconds = times.p50,
        .spread = hed_bench_spread(&times),
        .single = times.p50,
        .bound = NAN,
        .worst = result->worst,
        .p99 = result->p99};
    cloth_row_begin(to, &row, &result->info);
    cli_report_more(to, CLI_NUMBER("drape_rms", result->rms),
        CLI_NUMBER("crossings", is_judged ? (double)result->crossings : NAN),
        CLI_NUMBER("ball_crossings", is_judged ? (double)result->ball_crossings : NAN),
        CLI_TEXT("gate", result->passes ? "passes" : "fails"));
    cloth_row_end(to, &row, &result->info);
}

bool cloth_gate_matches(const char *only)
{
    for (size_t i = 0; i < HED_COUNT(CASES); i++)
        if (!only || strstr(CASES[i].name, only)) return true;
    return false;
}

static bool runs_on(const cloth_gate_case *c, const hed_device_info *info, const char *only)
{
    bool on_host = strcmp(info->backend, "host") == 0;
    if (c->is_slow && info->type == HED_DEVICE_CPU && !only) return false;
    return (!only || strstr(c->name, only)) && (on_host || !c->threads);
}

hed_status cloth_gate_run(hed_device *device, const char *only, cli_report *to, hed_error *error)
{
    const hed_device_info info = hed_device_describe(device);
    for (size_t i = 0; i < HED_COUNT(CASES) && !error->status; i++) {
        cloth_gate_row row;
        if (!runs_on(&CASES[i], &info, only)) continue;
        hed_status status = cloth_gate_find(&CASES[i], device, &row, error);
        if (!status) add_gate_record(&CASES[i], &row, &info, to);
        if (status != HED_ERROR_UNSUPPORTED && status != HED_ERROR_DEVICE_MEMORY) continue;
        fprintf(stderr, "heddle: %s on %s: %s\n", CASES[i].name, info.id, error->text);
        hed_error_clear(error);
    }
    return error->status;
}
