/* Text of a controller's kernels: numbers as defines, Heddle's words, the user's model and terms
 * unchanged, each after a chunk that defines P(name) and TABLE(name) for it, then the kernel.
 * The compiler's messages refer to the user's own files and lines. */
#include <stdarg.h>
#include <stdio.h>

#include "solver/mppi_layout.h"

extern const char hed_mppi_words_h[], hed_mppi_order_h[], hed_mppi_fixed_h[], hed_mppi_tile_h[],
    hed_mppi_sums_h[], hed_mppi_alone_h[], hed_mppi_math_h[], hed_mppi_sample_lanes_h[],
    hed_mppi_lanes_model_h[];

enum { TEXT_SIZE = 64 << 10 };

/* Chunks are written one after the other, each ended by a zero. */
typedef struct text_writer {
    char *text;
    size_t length, begin;
    bool full;
    hed_source *sources;
    uint32_t count;
} text_writer;

static hed_status text_open(text_writer *w, hed_arena *arena, hed_error *error)
{
    *w = (text_writer){.text = hed_arena_new(arena, TEXT_SIZE, 1, error),
        .sources = hed_arena_new(arena, MPPI_MOST_SOURCES, sizeof(hed_source), error)};
    return hed_failed(error) ? error->status : HED_OK;
}

/* Returns the chunks that were written. Errors: LIMIT. */
static hed_status text_close(
    const text_writer *w, const hed_source **sources, uint32_t *count, hed_error *error)
{
    if (w->full)
        return hed_fail(error, HED_ERROR_LIMIT,
            "mppi: the names of parameters and tables take more than %d bytes", TEXT_SIZE);
    *sources = w->sources;
    *count = w->count;
    return HED_OK;
}

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

/* Writes numbers and indices of the model. */
static void text_model_words(text_writer *w, const hed_mppi *c)
{
    const struct {
        const char *name;
        int32_t state;
    } poses[] = {{"POSE_X", c->model.pose_x}, {"POSE_Y", c->model.pose_y},
        {"POSE_HEADING", c->model.pose_heading}, {"SPEED", c->model.speed}, {"TURN", c->model.turn},
        {"VELOCITY_X", c->model.velocity_x}, {"VELOCITY_Y", c->model.velocity_y}};
    text_add(w, "#define MODEL_STATES %u\n#define MODEL_CONTROLS %u\n#define MODEL_ANGLES %uu\n",
        c->model.states, c->model.controls, c->model.angles);
    for (uint32_t i = 0; i < HED_COUNT(poses); i++)
        if (poses[i].state >= 0) text_add(w, "#define %s %d\n", poses[i].name, poses[i].state);
}

/* Writes the words that a model or a term may use on a device. */
static void text_words(text_writer *w, const hed_mppi *c)
{
    text_model_words(w, c);
    text_add(w, "#define STEPS %u\n", c->def.steps);
    uint64_t at = 0;
    for (uint32_t i = 0; i < c->def.table_count; i++) {
        const hed_mppi_table *t = &c->def.tables[i];
        text_add(w, "#define table_%s %llu", t->name, (unsigned long long)at);
        if (t->per_controller) text_add(w, "+(size_t)w->controller*%uu", t->capacity);
        text_add(w, "\n#define table_count_%s %u\n", t->name, c->parameter_count + i);
        at += mppi_table_floats(c, i);
    }
    text_add(w, "#define P(name) (w->parameter_##name)\n"
                "#define P_ARRAY(name) (&w->parameter_##name)\n"
                "#define TABLE(name) (w->tables + table_##name)\n"
                "#define TABLE_COUNT(name) (hed_as_uint(w->p[table_count_##name]))\n");
    text_end(w);
}

/* Writes the numbers of the kernels, after the user's texts, which may use the same names. */
static void text_numbers(text_writer *w, const hed_mppi *c, const mppi_layout *l)
{
    uint64_t tables = 0;
    for (uint32_t i = 0; i < c->def.table_count; i++) tables += mppi_table_floats(c, i);
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

/* A text, with its parameters from index `at` on, and its name in messages. */
typedef struct text_part {
    const hed_mppi_parameter *parameters;
    uint32_t count, at;
    const char *name, *text;
} text_part;

static text_part text_of_model(const hed_mppi *c, uint32_t at)
{
    const hed_mppi_model *m = &c->model;
    return (text_part){m->parameters, m->parameter_count, at, m->file ? m->file : m->name, m->text};
}

static text_part text_of_term(const hed_mppi_term *term, uint32_t at)
{
    return (text_part){term->parameters, term->parameter_count, at,
        term->file ? term->file : term->name, term->text};
}

/* Writes the place of a parameter on a device, a member of mppi_world: p[3] or moving[0]. */
static void text_place(text_writer *w, const hed_mppi *c, uint32_t parameter)
{
    uint32_t slot = c->timed.slot[parameter];
    text_add(w, slot ? "moving[%u]" : "p[%u]", slot ? slot - 1 : parameter);
}

/* Writes a text of the user, with its parameters, which are undefined after it: on a device places of
 * the controller's, on the processor indices of the text's own. */
static void text_add_part(text_writer *w, const hed_mppi *c, const text_part *part, bool device)
{
    uint32_t at = part->at;
    for (uint32_t i = 0; i < part->count; i++) {
        text_add(w, "#define parameter_%s ", part->parameters[i].name);
        if (device) text_place(w, c, at);
        else text_add(w, "%u", at);
        text_add(w, "\n");
        at += text_length(c, &part->parameters[i]);
    }
    text_end(w);
    text_source(w, part->name, part->text);
    text_add(w, "\n");
    for (uint32_t i = 0; i < part->count; i++)
        text_add(w, "#undef parameter_%s\n", part->parameters[i].name);
}

static void text_cost(text_writer *w, const hed_mppi *c, const char *name, hed_mppi_when not )
{
    text_add(w, "MPPI_FUNCTION float %s(float cost, const float *x, const float *u, int t, "
                "MPPI_WORLD world)\n{\n",
        name);
    text_add(w, "    mppi_world now = *world;\n    MPPI_WORLD w = &now;\n");
    if (c->timed.slots) text_add(w, "    now.moving += t * %u;\n", c->timed.slots);
    for (uint32_t k = 0; k < c->def.term_count; k++) {
        if (c->def.terms[k].when == not ) continue;
        text_add(w, "    cost = hed_fma(w->");
        text_place(w, c, c->texts[1 + k].weight);
        text_add(w, ", term_%s(x, u, t, w), cost);\n", c->def.terms[k].name);
    }
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
    text_part part = text_of_model(c, c->texts[0].first);
    text_add_part(w, c, &part, true);
    for (uint32_t k = 0; k < c->def.term_count; k++) {
        part = text_of_term(&c->def.terms[k], c->texts[1 + k].first);
        if (text_is_new(c, k)) text_add_part(w, c, &part, true);
    }
    text_cost(w, c, "mppi_running", HED_MPPI_TERMINAL);
    text_cost(w, c, "mppi_terminal", HED_MPPI_RUNNING);
    text_end(w);
}

hed_status mppi_sources(const hed_mppi *c, hed_arena *arena, const mppi_layout *layout, bool tile,
    hed_source kernel, hed_kernel_def *def, hed_error *error)
{
    text_writer w;
    if (text_open(&w, arena, error)) return error->status;
    text_words(&w, c);
    text_source(&w, "words.h", hed_mppi_words_h);
    text_source(&w, "order.h", hed_mppi_order_h);
    text_source(&w, "fixed.h", hed_mppi_fixed_h);
    if (tile) text_controlled(&w, c);
    text_numbers(&w, c, layout);
    if (tile) text_source(&w, "tile.h", hed_mppi_tile_h);
    if (tile) text_source(&w, "sums.h", hed_mppi_sums_h);
    w.sources[w.count++] = kernel;
    return text_close(&w, &def->sources, &def->source_count, error);
}

/* ---- the same texts for the processor ---- */

/* Ends the current chunk, whose messages are about the end of the text before it. */
static void text_end_after(text_writer *w, const char *name)
{
    const char *from = w->text + w->begin;
    text_end(w);
    text_add(w, "after %s", name);
    w->sources[w->count - 1] = (hed_source){w->text + w->begin, from, 0};
    if (w->length + 1 >= TEXT_SIZE) w->full = true;
    else w->begin = ++w->length;
}

/* Copies one of Heddle's texts without its lines of #include. NULL: out of memory. */
static const char *text_without_includes(hed_arena *arena, const char *text, hed_error *error)
{
    static const char word[] = "#include";
    char *copy = hed_arena_new(arena, strlen(text) + 1, 1, error), *to = copy;
    for (const char *at = text, *next; copy && *at; at = next) {
        next = at + strcspn(at, "\n");
        next += *next == '\n';
        bool skips = strncmp(at, word, sizeof word - 1) == 0;
        if (!skips) memcpy(to, at, (size_t)(next - at));
        else *to = '\n'; /* keeps the numbers of lines */
        to += skips ? 1 : next - at;
    }
    return copy;
}

/* Writes the indices of a text's tables. */
static void text_tables(text_writer *w, const char *word, const char *const *tables, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        text_add(w, "#%s table_%s", word, tables[i]);
        text_add(w, word[0] == 'd' ? " %u\n" : "\n", i);
    }
}

hed_status mppi_code_sources(const hed_mppi *c, hed_arena *arena, bool model, uint32_t terms,
    hed_code_def *def, hed_error *error)
{
    text_writer w;
    if (text_open(&w, arena, error)) return error->status;
    text_add(&w, "#define MPPI_ALONE\n");
    text_model_words(&w, c);
    text_end(&w);
    text_source(&w, "alone.h", hed_mppi_alone_h);
    text_source(&w, "math.h", text_without_includes(arena, hed_mppi_math_h, error));
    text_source(&w, "words.h", text_without_includes(arena, hed_mppi_words_h, error));
    text_source(&w, "sample_lanes.h", hed_mppi_sample_lanes_h);
    if (hed_failed(error)) return error->status;
    if (model) {
        text_part part = text_of_model(c, 0);
        text_tables(&w, "define", c->model.tables, c->model.table_count);
        text_add_part(&w, c, &part, false);
        text_tables(&w, "undef", c->model.tables, c->model.table_count);
        text_end_after(&w, part.name);
        text_source(&w, "lanes_model.h", hed_mppi_lanes_model_h);
    }
    for (uint32_t k = 0; k < c->def.term_count; k++) {
        const hed_mppi_term *term = &c->def.terms[k];
        text_part part = text_of_term(term, 0);
        if (!(terms >> k & 1) || !text_is_new(c, k)) continue;
        text_tables(&w, "define", term->tables, term->table_count);
        text_add(&w, "#define own_%s term_%s\n", term->name, term->name);
        text_add_part(&w, c, &part, false);
        text_add(&w, "OWN_TERM(%s)\n", term->name);
        text_tables(&w, "undef", term->tables, term->table_count);
        text_end_after(&w, part.name);
    }
    return text_close(&w, &def->sources, &def->source_count, error);
}
