/* Benchmarks: interleaved rounds, and records as JSON or as a table. */
#include "cli/common/bench.h"

#include "support/errors.h"
#include "support/exit.h"
#include "support/json.h"
#include "cli/common/table.h"

#include <math.h>
#include <stdlib.h>

/* ---- measuring ---- */

enum { FEWEST_ROUNDS = 5, MOST_ROUNDS = 2000 };

hed_status hed_bench_measure(
    hed_bench_case *cases, uint32_t count, double seconds, hed_error *error)
{
    double *samples = malloc((size_t)count * MOST_ROUNDS * sizeof *samples);
    if (!samples) return hed_error_set(error, HED_ERROR_MEMORY, "out of memory for a benchmark");
    hed_status status = HED_OK;
    uint64_t started = hed_now();
    int rounds = -1; /* the round before the first one that counts */
    while (status == HED_OK && rounds < MOST_ROUNDS) {
        for (uint32_t i = 0; i < count && status == HED_OK; i++) {
            uint32_t which = rounds & 1 ? count - 1 - i : i;
            double found = 0;
            status = cases[which].run(cases[which].user, &found, error);
            if (status == HED_OK && hed_interrupted())
                status = hed_error_set(error, HED_ERROR_TIMEOUT, "interrupted");
            if (rounds >= 0) samples[(size_t)which * MOST_ROUNDS + (size_t)rounds] = found;
        }
        rounds++;
        if (rounds == 0) started = hed_now();
        if (rounds >= FEWEST_ROUNDS && (double)(hed_now() - started) > seconds * 1e9) break;
    }
    for (uint32_t i = 0; i < count && status == HED_OK; i++)
        cases[i].seconds = hed_summarize(samples + (size_t)i * MOST_ROUNDS, (size_t)rounds);
    free(samples);
    return status;
}

double hed_bench_spread(const hed_summary *seconds)
{
    return seconds->p50 > 0 ? (seconds->high - seconds->low) / 2 / seconds->p50 : NAN;
}

/* ---- printing ---- */

struct hed_bench {
    hed_records *records;
    hed_table *table;
};

static const char *const HEADINGS[] = {
    "SUITE", "NAME", "DEVICE", ">VALUE", "UNIT", ">+-", ">FLOOR", ">RATIO", "AGAINST", NULL};

hed_bench *hed_bench_create(void)
{
    hed_bench *bench = calloc(1, sizeof *bench);
    if (!bench) return NULL;
    bench->records = hed_records_create();
    bench->table = hed_table_create(HEADINGS);
    return bench;
}

/* Small ratios keep two digits: 5e-05 says more than 0.000. */
static const char *ratio_format(double ratio) { return ratio < 0.1 ? "%.2g" : "%.3f"; }

/* Four digits, without exponents where people would not write them. */
static const char *value_format(double value) { return value >= 1000 ? "%.0f" : "%.4g"; }

static void optional_cell(hed_table *table, const char *format, double value)
{
    char text[64] = "";
    if (isfinite(value)) snprintf(text, sizeof text, format, value);
    hed_table_cell(table, "%s", text);
}

void hed_bench_add(hed_bench *bench, const hed_bench_record *record)
{
    if (!bench) return;
    hed_records *records = bench->records;
    hed_records_next(records);
    hed_records_text(records, "suite", record->suite);
    hed_records_text(records, "name", record->name);
    hed_records_text(records, "device", record->device);
    hed_records_number(records, "value", record->value);
    hed_records_text(records, "unit", record->unit);
    if (isfinite(record->floor)) hed_records_number(records, "floor", record->floor);
    if (isfinite(record->ratio)) {
        hed_records_number(records, "ratio", record->ratio);
        hed_records_text(records, "against", record->against ? record->against : "");
    }
    if (isfinite(record->spread)) hed_records_number(records, "spread", record->spread);
    hed_table *table = bench->table;
    hed_table_cell(table, "%s", record->suite);
    hed_table_cell(table, "%s", record->name);
    hed_table_cell(table, "%s", record->device);
    optional_cell(table, value_format(record->value), record->value);
    hed_table_cell(table, "%s", record->unit);
    optional_cell(
        table, "%.1f %%", record->value != 0 ? 100 * record->spread / record->value : NAN);
    optional_cell(table, value_format(record->floor), record->floor);
    optional_cell(table, ratio_format(record->ratio), record->ratio);
    hed_table_cell(table, "%s", isfinite(record->ratio) && record->against ? record->against : "");
}

hed_status hed_bench_print(const hed_bench *bench, bool json, FILE *stream, hed_error *error)
{
    return json ? hed_records_print(bench ? bench->records : NULL, stream, error)
                : hed_table_print(bench ? bench->table : NULL, stream, error);
}

void hed_bench_free(hed_bench *bench)
{
    if (!bench) return;
    hed_records_free(bench->records);
    hed_table_free(bench->table);
    free(bench);
}
