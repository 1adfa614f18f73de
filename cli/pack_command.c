/* heddle pack: assignment of entities to lanes, for counts given on the command line. */
#include "cli/common/command.h"
#include "heddle/author.h"
#include "cli/common/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_ROWS = 4,   /* maximum number of rows of a warp in the text output */
    MOST_CELLS = 64, /* maximum number of cells of a strip */
    LETTERS = 26
};

typedef struct packing {
    uint32_t counts[HED_PACK_MAX_TYPES];
    float costs[HED_PACK_MAX_TYPES];
    hed_pack_def def;
    hed_pack_piece *pieces;
    hed_pack_layout layout;
} packing;

/* ---- reading ---- */

/* Reads numbers separated by commas, and their count. Errors: ARGUMENT (names the entry). */
static hed_status pack_read_list(const char *option, const char *text, bool whole, double *values,
    uint32_t *count, hed_error *error)
{
    for (*count = 0;; text++) {
        char *end;
        double value = strtod(text, &end);
        int length = (int)strcspn(text, ",");
        const char *wrong = NULL;
        if (*count == HED_PACK_MAX_TYPES)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "--%s has more entries than the %d types that there can be", option,
                HED_PACK_MAX_TYPES);
        if (length == 0 || end != text + length || isspace((unsigned char)text[0]))
            wrong = "no number; numbers are expected with commas between them, such as 40,8,60";
        else if (whole && !(value >= 0 && value <= HED_PACK_MAX_ENTITIES && value == floor(value)))
            wrong = "no whole number from 0 to 2147483647";
        else if (!whole && !((float)value > 0 && isfinite((float)value)))
            wrong = "no cost, which is a number above 0";
        if (wrong)
            return hed_fail(error, HED_ERROR_ARGUMENT, "--%s: entry %" PRIu32 ", \"%.*s\", is %s",
                option, *count + 1, length, text, wrong);
        values[(*count)++] = value;
        text = end;
        if (*text == 0) return HED_OK;
    }
}

static hed_status pack_read_arguments(const hed_arguments *arguments, packing *p, hed_error *error)
{
    double values[HED_PACK_MAX_TYPES], total = 0;
    uint32_t costs;
    hed_status status = pack_read_list(
        "counts", hed_text_of(arguments, "counts"), true, values, &p->def.types, error);
    for (uint32_t t = 0; t < p->def.types && !status; t++) {
        p->counts[t] = (uint32_t)values[t];
        total += values[t];
    }
    if (!status && total > HED_PACK_MAX_ENTITIES)
        status = hed_fail(error, HED_ERROR_ARGUMENT,
            "--counts: %.0f entities in all, and %d are the most", total, HED_PACK_MAX_ENTITIES);
    if (status) return status;
    p->def.counts = p->counts;
    p->def.warps = (uint32_t)hed_integer_of(arguments, "warps");
    p->def.lanes = (uint32_t)hed_integer_of(arguments, "lanes");
    p->def.method = (hed_pack_method)hed_choice_of(arguments, "method");
    if (!hed_given(arguments, "costs")) return HED_OK;
    status = pack_read_list("costs", hed_text_of(arguments, "costs"), false, values, &costs, error);
    if (!status && costs != p->def.types)
        status = hed_fail(error, HED_ERROR_ARGUMENT,
            "--costs has %" PRIu32 " entries, --counts %" PRIu32, costs, p->def.types);
    for (uint32_t t = 0; t < p->def.types && !status; t++) p->costs[t] = (float)values[t];
    p->def.costs = p->costs;
    if (p->def.method == HED_PACK_EXACT) p->def.method = HED_PACK_EXACT_COST;
    return status;
}

/* ---- a range of pieces: one row, or one warp ---- */

static uint32_t end_of_row(const packing *p, uint32_t begin)
{
    uint32_t end = begin;
    while (end < p->layout.piece_count && p->pieces[end].warp == p->pieces[begin].warp &&
           p->pieces[end].row == p->pieces[begin].row)
        end++;
    return end;
}

static uint32_t end_of_warp(const packing *p, uint32_t begin)
{
    uint32_t end = begin;
    while (end < p->layout.piece_count && p->pieces[end].warp == p->pieces[begin].warp) end++;
    return end;
}

static double cost_of_row(const packing *p, uint32_t begin, uint32_t end, uint32_t *types)
{
    uint32_t mask = 0;
    double cost = 0;
    *types = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t type = p->pieces[i].type;
        if (mask >> type & 1) continue;
        mask |= 1u << type;
        cost += p->def.costs ? (double)p->def.costs[type] : 1;
        ++*types;
    }
    return cost;
}

/* ---- for programs ---- */

static hed_status pack_print_json(const packing *p, hed_error *error)
{
    const hed_pack_layout *l = &p->layout;
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("method", hed_pack_method_name(p->def.method)),
        CLI_WHOLE("max_occupancy", l->max_occupancy), CLI_NUMBER("max_cost", l->max_cost),
        CLI_WHOLE("warps_used", l->warps_used), CLI_WHOLE("rows", l->rows));
    if (p->def.method == HED_PACK_GREEDY)
        cli_report_more(report, CLI_WHOLE("iterations", l->iterations));
    cli_report_open_list(report, "warps");
    for (uint32_t begin = 0; begin < l->piece_count; begin = end_of_warp(p, begin)) {
        uint32_t types;
        double cost = 0;
        for (uint32_t i = begin, end = end_of_warp(p, begin); i < end; i = end_of_row(p, i))
            cost += cost_of_row(p, i, end_of_row(p, i), &types);
        cli_report_row(report, CLI_WHOLE("warp", p->pieces[begin].warp), CLI_NUMBER("cost", cost));
        cli_report_open_list(report, "pieces");
        for (uint32_t i = begin, end = end_of_warp(p, begin); i < end; i++) {
            const hed_pack_piece *piece = &p->pieces[i];
            cli_report_row(report, CLI_WHOLE("row", piece->row), CLI_WHOLE("lane", piece->lane),
                CLI_WHOLE("type", piece->type), CLI_WHOLE("first", piece->first),
                CLI_WHOLE("count", piece->count));
        }
        cli_report_close(report);
    }
    cli_report_close(report);
    hed_status status = cli_report_print_one(report, stdout, error);
    cli_report_free(report);
    return status;
}

/* ---- for people ---- */

static char letter_of(uint32_t type)
{
    return (char)(type < LETTERS ? 'A' + type : 'a' + type - LETTERS);
}

/* Writes a cell of a strip: the type's letter, on a terminal on the type's colour. */
static size_t write_cell(char *text, size_t size, uint32_t type, bool colour)
{
    /* light colours of xterm's 256, on which black letters are legible */
    static const uint8_t backgrounds[] = {75, 214, 78, 203, 141, 222, 80, 211, 150, 110, 180, 245};
    int background = backgrounds[type % sizeof backgrounds];
    return (size_t)(colour ? snprintf(text, size, "\033[30;48;5;%dm%c\033[0m", background,
                                 letter_of(type))
                           : snprintf(text, size, "%c", letter_of(type)));
}

/* Writes a row from left to right; if it has more lanes than cells, each cell shows the first of
 * its lanes. */
static void write_strip(
    const packing *p, uint32_t begin, uint32_t end, bool colour, char *text, size_t size)
{
    uint32_t step = (p->def.lanes + MOST_CELLS - 1) / MOST_CELLS, lane = 0;
    size_t used = 0;
    for (uint32_t i = begin; i < end; i++)
        for (; lane < p->pieces[i].lane + p->pieces[i].count && used < size; lane += step)
            used += write_cell(text + used, size - used, p->pieces[i].type, colour);
    for (; lane < p->def.lanes && used < size; lane += step)
        used += (size_t)snprintf(text + used, size - used, ".");
}

static hed_status pack_print_warps(const packing *p, bool colour, hed_error *error)
{
    cli_report *report = cli_report_create(false);
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < p->layout.piece_count; i = end_of_row(p, i)) {
        char strip[MOST_CELLS * 24];
        uint32_t end = end_of_row(p, i), types;
        double cost = cost_of_row(p, i, end, &types);
        if (p->pieces[i].row >= MOST_ROWS) {
            hidden++;
            continue;
        }
        write_strip(p, i, end, colour, strip, sizeof strip);
        cli_report_row(report, CLI_WHOLE(NULL, p->pieces[i].warp, .heading = ">WARP"),
            CLI_WHOLE(
                NULL, p->pieces[i].row, .heading = ">ROW", .shown = p->layout.rows > 1 ? NULL : ""),
            CLI_WHOLE(NULL, types, .heading = ">TYPES"), CLI_NUMBER(NULL, cost, .heading = ">COST"),
            CLI_TEXT(NULL, strip, .heading = "LANES"));
    }
    hed_status status = cli_report_end(report, HED_OK, error);
    if (hidden > 0)
        printf("\n%" PRIu32 " more rows are not shown; warps have up to %" PRIu32
               ", and --json prints all of them\n",
            hidden, p->layout.rows);
    return status;
}

static hed_status pack_print(const packing *p, hed_error *error)
{
    const hed_pack_layout *l = &p->layout;
    bool colour = isatty(STDOUT_FILENO) == 1;
    printf("%s: %" PRIu32 " type%s at most in %s, the most expensive warp costs %g, %" PRIu32
           " of %" PRIu32 " warps used",
        hed_pack_method_name(p->def.method), l->max_occupancy, l->max_occupancy == 1 ? "" : "s",
        p->def.method == HED_PACK_ROWS ? "the list of a warp" : "a row", l->max_cost, l->warps_used,
        p->def.warps);
    if (p->def.method == HED_PACK_GREEDY)
        printf(", %" PRIu32 " iteration%s", l->iterations, l->iterations == 1 ? "" : "s");
    printf("\n\n");
    cli_report *report = cli_report_create(false);
    for (uint32_t type = 0; type < p->def.types; type++) {
        char cell[64];
        write_cell(cell, sizeof cell, type, colour);
        cli_report_row(report, CLI_WHOLE(NULL, type, .heading = ">TYPE"),
            CLI_WHOLE(NULL, p->def.counts[type], .heading = ">COUNT"),
            CLI_NUMBER(NULL, p->def.costs ? (double)p->def.costs[type] : 1.0, .heading = ">COST"),
            CLI_TEXT(NULL, cell, .heading = ""));
    }
    hed_status status = cli_report_end(report, HED_OK, error);
    printf("\n");
    return status ? status : pack_print_warps(p, colour, error);
}

/* ---- the command ---- */

static int pack_run(const hed_arguments *arguments, void *user)
{
    packing p = {0};
    hed_error error = {0};
    if (pack_read_arguments(arguments, &p, &error)) {
        cli_fail(&error);
        return HED_EXIT_USAGE;
    }
    hed_status status = HED_OK;
    uint32_t capacity = hed_pack_capacity(&p.def);
    p.pieces = malloc(((size_t)capacity + 1) * sizeof *p.pieces);
    if (!p.pieces)
        status = HED_OUT_OF_MEMORY(&error, "%" PRIu32 " pieces of %zu bytes", capacity, sizeof *p.pieces);
    else if ((status = hed_pack(&p.def, p.pieces, capacity, &p.layout)))
        hed_fail(&error, status, "hed_pack: %s", hed_status_name(status));
    if (!status)
        status =
            hed_given(arguments, "json") ? pack_print_json(&p, &error) : pack_print(&p, &error);
    free(p.pieces);
    return cli_end(status, &error);
}

/* Names in the order of hed_pack_method. */
static const char *const METHODS[] = {
    "naive", "greedy", "exact", "exact-cost", "spread", "rows", NULL};

static const hed_option OPTIONS[] = {
    OPTION("counts", TEXT, "N,N,...", "entities of each type, 0 or more; up to 32 types",
        .letter = 'c', .required = true),
    OPTION("costs", TEXT, "X,X,...", "time of a row for each type, above 0; 1 unless given",
        .letter = 0),
    OPTION("warps", INTEGER, "N", "number of warps", .letter = 'w', .fallback = "32", .low = 1,
        .high = HED_PACK_MAX_WARPS),
    OPTION("lanes", INTEGER, "N", "lanes of a warp", .letter = 'l', .fallback = "32", .low = 1,
        .high = HED_PACK_MAX_LANES),
    OPTION("method", CHOICE, "METHOD", "how to lay out", .letter = 'm', .fallback = "exact",
        .choices = METHODS),
    OPTION("json", FLAG, NULL, "print JSON: one object, nothing else", .letter = 0), {0}};

static const hed_command BENCH = {.name = "bench", .same_as = &hed_command_bench_pack};

static const hed_example EXAMPLES[] = {
    {"heddle pack --counts 40,8,60", "three types, each in warps of its own"},
    {"heddle pack --counts 1000,1,1,1,1,1,1,1,1,1,1 --method spread",
        "eleven types, no more than two in a warp"},
    {"heddle pack --counts 400,20,300 --costs 10,2,14 --method rows --json",
        "row lists, for programs"},
    {0}};

const hed_command hed_command_pack = {
    .name = "pack", .summary = "lay entities of several types out over warps",
    .description =
        "Says which entity sits in which lane, so that lanes of a warp do the same thing: a warp with k types runs k "
        "branches one after another. Types are numbered from 0 in the order of --counts, and shown as A, B, C, ...\n\n"
        "Methods: naive (types interleaved in turn), greedy (runs of types merged from left to right), exact (the "
        "fewest types in the fullest row, with the types in their order; where --costs are given the lowest "
        "cost of the most expensive row, which is exact-cost), spread (the fewest types in the fullest row, in any order), rows (each warp has a "
        "list of rows of one type).\n\nWhere there are more entities than lanes, warps have several rows.",
    .options = OPTIONS, .commands = (const hed_command *const[]){&BENCH, NULL},
    .examples = EXAMPLES, .run = pack_run,
};
