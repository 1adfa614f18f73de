/* Record of a run: states, controls, statistics of each solve, and some sampled futures. */
#include "subcommands.h"

#include "heddle/author.h"
#include "support/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_mppi_outcomes[] = {"solved", "all_crashed", "deadline", "diverged", NULL};

enum { ROWS = CLI_MPPI_FUTURES + 2 };

static size_t record_row(const cli_mppi_record *record)
{
    return ((size_t)record->def->steps + 1) * record->def->model->states;
}

hed_status cli_mppi_record_open(cli_mppi_record *record, const hed_mppi_def *def, uint32_t steps,
    bool pictures, hed_error *error)
{
    size_t rows = (size_t)steps * def->count;
    *record = (cli_mppi_record){.def = def, .robots = def->count, .steps = steps, .every = 1};
    record->states = calloc((rows + def->count) * def->model->states, sizeof(float));
    record->controls = calloc(rows * def->model->controls, sizeof(float));
    record->stats = calloc(rows, sizeof *record->stats);
    bool has_memory = record->states && record->controls && record->stats;
    for (uint32_t i = 0; pictures && def->count == 1 && i < CLI_MPPI_MOST_MOMENTS; i++) {
        record->moments[i].states = malloc(ROWS * record_row(record) * sizeof(float));
        record->moments[i].costs = malloc(ROWS * sizeof(float));
        has_memory = has_memory && record->moments[i].states && record->moments[i].costs;
    }
    if (!has_memory) return HED_OUT_OF_MEMORY(error, "the record of %u steps", steps);
    return HED_OK;
}

void cli_mppi_record_close(cli_mppi_record *record)
{
    free(record->states);
    free(record->controls);
    free(record->stats);
    for (uint32_t i = 0; i < CLI_MPPI_MOST_MOMENTS; i++) {
        free(record->moments[i].states);
        free(record->moments[i].costs);
        for (uint32_t t = 0; t < HED_MPPI_MAX_TABLES; t++) free(record->moments[i].tables[t]);
    }
    *record = (cli_mppi_record){0};
}

/* Copies the changing tables as they were in the solve. */
static hed_status moment_keep_tables(
    cli_mppi_moment *moment, const cli_mppi_subject *subject, hed_error *error)
{
    for (uint32_t t = 0; t < subject->def.table_count; t++) {
        const hed_mppi_table *table = &subject->tables[t];
        if (!(subject->changing >> t & 1)) continue;
        free(moment->tables[t]);
        moment->tables[t] = malloc(table->count * sizeof(float));
        moment->table_counts[t] = table->count;
        if (!moment->tables[t]) return HED_OUT_OF_MEMORY(error, "table %s", table->name);
        memcpy(moment->tables[t], table->values, table->count * sizeof(float));
    }
    return HED_OK;
}

hed_status cli_mppi_record_look(cli_mppi_record *record, const cli_mppi_subject *subject,
    hed_mppi *controller, hed_error *error)
{
    if (!record->moments[0].states || record->done % record->every) return HED_OK;
    if (record->moment_count == CLI_MPPI_MOST_MOMENTS) {
        for (uint32_t i = 0; i < CLI_MPPI_MOST_MOMENTS / 2; i++) {
            cli_mppi_moment swapped = record->moments[2 * i];
            record->moments[2 * i] = record->moments[i];
            record->moments[i] = swapped;
        }
        record->moment_count /= 2;
        record->every *= 2;
        if (record->done % record->every) return HED_OK;
    }
    cli_mppi_moment *moment = &record->moments[record->moment_count];
    size_t row = record_row(record);
    uint32_t count =
        record->def->samples < CLI_MPPI_FUTURES ? record->def->samples : CLI_MPPI_FUTURES;
    for (uint32_t i = 0; i < ROWS; i++) moment->costs[i] = NAN;
    moment->step = record->done;
    memcpy(moment->states, hed_mppi_states(controller, 0), row * sizeof(float));
    hed_status status =
        hed_mppi_trace(controller, 0, 1, true, moment->states + row, moment->costs + 1, error);
    if (status == HED_OK)
        status = hed_mppi_trace(
            controller, 0, count, false, moment->states + 2 * row, moment->costs + 2, error);
    if (status == HED_OK) status = moment_keep_tables(moment, subject, error);
    if (status == HED_OK) record->moment_count++;
    return status;
}

hed_status cli_mppi_record_sum(
    const cli_mppi_record *record, cli_mppi_figures *figures, hed_error *error)
{
    *figures = (cli_mppi_figures){0};
    size_t count = (size_t)record->done * record->robots, finite = 0;
    double *values = malloc((count + 1) * sizeof *values);
    if (!values) return HED_OUT_OF_MEMORY(error, "the figures of %u steps", record->done);
    for (size_t k = 0; k < count; k++) values[k] = 1e-6 * (double)record->stats[k].solve_ns;
    figures->solve_ms = hed_summarize(values, count);
    for (size_t k = 0; k < count; k++) values[k] = record->stats[k].ess;
    figures->ess = hed_summarize(values, count);
    for (size_t k = 0; k < count; k++)
        if (isfinite(record->stats[k].baseline)) values[finite++] = record->stats[k].baseline;
    figures->cost = hed_summarize(values, finite);
    for (size_t k = 0; k < count; k++) {
        figures->outcomes[record->stats[k].outcome]++;
        figures->over_threshold += record->stats[k].over_threshold;
        figures->crashed = fmaxf(figures->crashed, record->stats[k].crashed);
    }
    free(values);
    return HED_OK;
}

/* ---- CSV (RFC 4180) ---- */

static void csv_row(const cli_mppi_record *record, uint32_t k, uint32_t robot, FILE *stream)
{
    const hed_mppi_model *model = record->def->model;
    size_t row = (size_t)k * record->robots + robot;
    const hed_mppi_stats *s = &record->stats[row];
    fprintf(stream, "%u,%.9g", k, (double)k * record->def->dt);
    if (record->robots > 1) fprintf(stream, ",%u", robot);
    for (uint32_t i = 0; i < model->states; i++)
        fprintf(stream, ",%.9g", record->states[row * model->states + i]);
    for (uint32_t i = 0; i < model->controls; i++)
        fprintf(stream, ",%.9g", record->controls[row * model->controls + i]);
    fprintf(stream, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.3f,%d,%s\n", s->baseline, s->free_energy, s->ess,
        s->crashed, s->lambda, 1e-3 * (double)s->solve_ns, s->missed,
        cli_mppi_outcomes[s->outcome]);
}

hed_status cli_mppi_record_write_csv(
    const cli_mppi_record *record, const char *path, hed_error *error)
{
    const hed_mppi_model *model = record->def->model;
    char *text = NULL, name[16];
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return HED_OUT_OF_MEMORY(error, "%s", path);
    fputs(record->robots > 1 ? "step,time,robot" : "step,time", stream);
    for (uint32_t i = 0; i < model->states; i++)
        fprintf(stream, ",%s", cli_mppi_state_name(model, i, name));
    for (uint32_t i = 0; i < model->controls; i++)
        fprintf(stream, ",%s", cli_mppi_control_name(model, i, name));
    fputs(",cost,free_energy,ess,crashed,lambda,solve_us,missed,outcome\n", stream);
    for (uint32_t k = 0; k < record->done; k++)
        for (uint32_t i = 0; i < record->robots; i++) csv_row(record, k, i, stream);
    bool whole = !ferror(stream);
    whole = fclose(stream) == 0 && whole;
    hed_status status =
        whole ? hed_file_write(path, text, size, error) : HED_OUT_OF_MEMORY(error, "%s", path);
    free(text);
    return status;
}
