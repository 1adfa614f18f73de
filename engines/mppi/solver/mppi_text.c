/* Text of a controller's kernels: numbers as defines, Heddle's words, the user's model and terms
 * unchanged, each after a chunk that defines P(name) and TABLE(name) for it, then the kernel.
 * The compiler's messages refer to the user's own files and lines. */
#include <stdarg.h>
#include <stdio.h>

#include "solver/mppi_layout.h"

extern const char hed_mppi_words_h[], hed_mppi_order_h[], hed_mppi_fixed_h[], hed_mppi_tile_h[],
    hed_mppi_sums_h[];

enum { TEXT_SIZE = 64 << 10 };

/* Chunks are written one after the other, each ended by a zero. */
typedef struct text_writer {
    char *text;
    size_t length, begin;
    bool full;
    hed_source *sources;
    uint32_t count;
} text_writer;

static void text_add(text_writer *w, const char *format, ...) HED_PRINTF(2, 3);
static void text_add(text_writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t room = TEXT_SIZE - w->length;
    int written = vsnprintf(w->text + w->length, room, format, list);
    va_end(list);
    if (written < 0 || (size_t)written >= room) w->full = true;
    else w->length += (size_t)written;
}

static void text_source(text_writer *w, const char *name, const char *text)
{
    w->sources[w->count++] = (hed_source){name, text, 0};
}

/* Ends the current chunk. */
static void text_end(text_writer *w)
{
    text_source(w, "mppi (generated)", w->text + w->begin);
    if (w->length + 1 >= TEXT_SIZE) w->full = true;
    else w->begin = ++w->length;
}

/* ---- definitions of a text's words ---- */

/* Writes the words that a model or a term may use. */
static void text_words(text_writer *w, const hed_mppi *c)
{
    const struct {
        const char *name;
        int32_t state;
    } poses[] = {{"POSE_X", c->model.pose_x}, {"POSE_Y", c->model.pose_y},
        {"POSE_HEADING", c->model.pose_heading}, {"SPEED", c->model.speed}, {"TURN", c->model.turn},
        {"VELOCITY_X", c->model.velocity_x}, {"VELOCITY_Y", c->model.velocity_y}};
    text_add(w,
        "#define MODEL_STATES %u\n#define MODEL_CONTROLS %u\n#define MODEL_ANGLES %uu\n"
        "#define STEPS %u\n",
        c->model.states, c->model.controls, c->model.angles, c->def.steps);
    for (uint32_t i = 0; i < HED_COUNT(poses); i++)
        if (poses[i].state >= 0) text_add(w, "#define %s %d\n", poses[i].name, poses[i].state);
    uint64_t at = 0;
    for (uint32_t i = 0; i < c->def.table_count; i++) {
        text_add(w, "#define MPPI_TABLE_%s %llu\n#define MPPI_COUNT_%s %u\n", c->def.tables[i].name,
            (unsigned long long)at, c->def.tables[i].name, c->parameter_count + i);
        at += c->def.tables[i].capacity ? c->def.tables[i].capacity : c->def.tables[i].count;
    }
    text_add(w, "#define P(name) (w->p[MPPI_AT_##name])\n"
                "#define P_ARRAY(name) (w->p + MPPI_AT_##name)\n"
                "#define TABLE(name) (w->tables + MPPI_TABLE_##name)\n"
                "#define TABLE_COUNT(name) (hed_as_uint(w->p[MPPI_COUNT_##name]))\n");
    text_end(w);
}

/* Writes the numbers of the kernels, after the user's texts, which may use the same names. */
static void text_numbers(text_writer *w, const hed_mppi *c, const mppi_layout *l)
{
    uint64_t tables = 0;
    for (uint32_t i = 0; i < c->def.table_count; i++)
        tables += c->def.tables[i].capacity ? c->def.tables[i].capacity : c->def.tables[i].count;
    for (uint32_t i = 0; i < l->number_count; i++)
        text_add(w, "#define %s %u\n", l->numbers[i].name, l->numbers[i].value);
    text_add(w, "#define SIGMA_AT %llu\n", (unsigned long long)tables);
    text_end(w);
}

static uint32_t text_length(const hed_mppi *c, const hed_mppi_parameter *parameter)
{
    return parameter->length == HED_MPPI_EACH_STATE     ? c->model.states
           : parameter->length == HED_MPPI_EACH_CONTROL ? c->model.controls
           : parameter->length > 0                      ? (uint32_t)parameter->length
                                                        : 1;
}

/* Writes a text of the user, with its parameters, which are undefined after it. */
static void text_part(text_writer *w, const hed_mppi *c, const hed_mppi_parameter *parameters,
    uint32_t count, const mppi_part *part, const char *file, const char *name, const char *text)
{
    uint32_t at = part->first;
    for (uint32_t i = 0; i < count; i++) {
        text_add(w, "#define MPPI_AT_%s %u\n", parameters[i].name, at);
        at += text_length(c, &parameters[i]);
    }
    text_end(w);
    text_source(w, file ? file : name, text);
    text_add(w, "\n");
    for (uint32_t i = 0; i < count; i++) text_add(w, "#undef MPPI_AT_%s\n", parameters[i].name);
}

static void text_cost(text_writer *w, const hed_mppi *c, const char *name, hed_mppi_when not )
{
    text_add(w, "MPPI_FUNCTION float %s(float cost, const float *x, const float *u, int t, "
                "MPPI_WORLD w)\n{\n",
        name);
    for (uint32_t k = 0; k < c->def.term_count; k++)
        if (c->def.terms[k].when != not )
            text_add(w, "    cost = hed_fma(w->p[%u], term_%s(x, u, t, w), cost);\n",
                c->term_parts[k].weight, c->def.terms[k].name);
    text_add(w, "    return cost;\n}\n");
}

static bool text_is_new(const hed_mppi *c, uint32_t term)
{
    for (uint32_t k = 0; k < term; k++)
        if (strcmp(c->def.terms[k].name, c->def.terms[term].name) == 0) return false;
    return true;
}

static void text_controlled(text_writer *w, const hed_mppi *c)
{
    const hed_mppi_model *model = &c->model;
    text_part(w, c, model->parameters, model->parameter_count, &c->model_part, model->file,
        model->name, model->text);
    for (uint32_t k = 0; k < c->def.term_count; k++) {
        const hed_mppi_term *term = &c->def.terms[k];
        if (text_is_new(c, k))
            text_part(w, c, term->parameters, term->parameter_count, &c->term_parts[k], term->file,
                term->name, term->text);
    }
    text_cost(w, c, "mppi_running", HED_MPPI_TERMINAL);
    text_cost(w, c, "mppi_terminal", HED_MPPI_RUNNING);
    text_end(w);
}

hed_status mppi_sources(const hed_mppi *c, hed_arena *arena, const mppi_layout *layout, bool tile,
    hed_source kernel, hed_kernel_def *def, hed_error *error)
{
    text_writer w = {.text = hed_arena_new(arena, TEXT_SIZE, 1, error),
        .sources = hed_arena_new(arena, MPPI_MOST_SOURCES, sizeof(hed_source), error)};
    if (hed_failed(error)) return error->status;
    text_words(&w, c);
    text_source(&w, "words.h", hed_mppi_words_h);
    text_source(&w, "order.h", hed_mppi_order_h);
    text_source(&w, "fixed.h", hed_mppi_fixed_h);
    if (tile) text_controlled(&w, c);
    text_numbers(&w, c, layout);
    if (tile) text_source(&w, "tile.h", hed_mppi_tile_h);
    if (tile) text_source(&w, "sums.h", hed_mppi_sums_h);
    w.sources[w.count++] = kernel;
    if (w.full)
        return hed_fail(error, HED_ERROR_LIMIT,
            "mppi: the names of parameters and tables take more than %d bytes", TEXT_SIZE);
    def->sources = w.sources;
    def->source_count = w.count;
    return HED_OK;
}
