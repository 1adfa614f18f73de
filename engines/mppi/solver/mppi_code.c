/* Texts of users for the processor: the machine's C compiler makes lanes of them, as the build does
 * of Heddle's own models (catalogue/sample_lanes.h), with the same bits. */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>

#include "solver/cpu.h"
#include "solver/mppi_layout.h"
#include "catalogue/alone.h"

/* The text's own declaration of hed_mppi_world must be that of the header. */
MPPI_ALONE_WORLD(mppi_alone_world)
#define SAME_MEMBER(member) \
    _Static_assert(offsetof(mppi_alone_world, member) == offsetof(hed_mppi_world, member), #member)
SAME_MEMBER(parameters);
SAME_MEMBER(tables);
SAME_MEMBER(table_counts);
SAME_MEMBER(dt);
SAME_MEMBER(steps);
SAME_MEMBER(model);
SAME_MEMBER(user);
_Static_assert(sizeof(mppi_alone_world) == sizeof(hed_mppi_world), "hed_mppi_world");

enum {
    CODE_STEP,
    CODE_ROLL,
    CODE_LANES,
    CODE_TERMS,
    CODE_MOST = CODE_TERMS + 2 * HED_MPPI_MAX_TERMS
};

/* Returns the options for the instruction set that MPPI_CLONES() would choose. */
static const char *const *code_options(uint32_t *count)
{
#if defined(__x86_64__)
    static const char *const wide[] = {"-mavx512f", "-mavx512vl", "-mavx512dq", "-mavx512bw",
        "-mfma", "-mprefer-vector-width=512"};
    static const char *const narrow[] = {"-mavx2", "-mfma"};
    if (mppi_has_avx512()) {
        *count = HED_COUNT(wide);
        return wide;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        *count = HED_COUNT(narrow);
        return narrow;
    }
#endif
    *count = 0;
    return NULL;
}

/* Returns the line of a brace without its counterpart; 0: all are in pairs. The compiler would find
 * the lack in another text. */
static int code_open_brace(const char *text)
{
    int lines[64], depth = 0, line = 1;
    for (const char *at = text; *at; at++) {
        line += *at == '\n';
        if (at[0] == '/' && at[1] == '/') at += strcspn(at, "\n") - 1;
        else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            if (!end) return line;
            for (; at <= end; at++) line += *at == '\n';
        } else if (*at == '{') {
            if (depth < (int)HED_COUNT(lines)) lines[depth] = line;
            depth++;
        } else if (*at == '}' && --depth < 0) return line;
    }
    return depth > 0 && depth <= (int)HED_COUNT(lines) ? lines[depth - 1] : 0;
}

/* Checks that a text is whole, and has the function that it must define. */
static hed_status code_check(const char *file, const char *text, const char *function,
    const char *declaration, hed_error *error)
{
    int line = code_open_brace(text);
    if (line)
        return hed_fail(error, HED_ERROR_BUILD,
            "%s:%d: a brace or comment has no counterpart; expected as many \"}\" as \"{\"", file, line);
    size_t length = strlen(function);
    for (const char *at = text; (at = strstr(at, function)); at += length) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !isalnum((unsigned char)at[length]) && at[length] != '_') return HED_OK;
    }
    return hed_fail(error, HED_ERROR_BUILD, "%s: there is no function %s(); expected\n    %s", file,
        function, declaration);
}

/* Checks the texts of model and terms, for a device as well: its compiler would name a line of
 * Heddle's. */
static hed_status code_check_texts(const hed_mppi *c, hed_error *error)
{
    if (c->model.text)
        code_check(c->model.file ? c->model.file : c->model.name, c->model.text, "model_step",
            "MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)", error);
    for (uint32_t k = 0; k < c->def.term_count && !hed_failed(error); k++) {
        const hed_mppi_term *term = &c->def.terms[k];
        char function[128], declaration[256];
        snprintf(function, sizeof function, "term_%s", term->name);
        snprintf(declaration, sizeof declaration,
            "MPPI_FUNCTION float %s(const float *x, const float *u, int t, MPPI_WORLD w)", function);
        if (term->text)
            code_check(
                term->file ? term->file : term->name, term->text, function, declaration, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* True if a device of the controller is `host`. */
static bool code_runs_on_host(const hed_mppi *c)
{
    bool found = !strcmp(hed_device_describe(c->device).backend, "host");
    for (uint32_t i = 0; i < c->def.other_device_count; i++)
        if (c->def.other_devices[i])
            found = found || !strcmp(hed_device_describe(c->def.other_devices[i]).backend, "host");
    return found;
}

/* Fills in the controller's functions. */
static void code_attach(hed_mppi *c, bool model, uint32_t terms, void *const *functions)
{
    struct mppi_code *code = c->compiled;
    hed_mppi_term *copies = (hed_mppi_term *)(uintptr_t)c->def.terms; /* a copy in the arena */
    if (model) {
        code->model.step = (mppi_step_lanes *)functions[CODE_LANES];
        code->model.roll = (mppi_roll_steps *)functions[CODE_ROLL];
        c->model.step = (hed_mppi_step_function *)functions[CODE_STEP];
        c->model.lanes = &code->model;
        c->def.model = &c->model;
    }
    for (uint32_t k = 0; k < c->def.term_count; k++) {
        void *const *of_term = &functions[CODE_TERMS + 2 * k];
        if (!(terms >> k & 1)) continue;
        if (!copies[k].cost) copies[k].cost = (hed_mppi_cost_function *)of_term[0];
        code->terms[k] = (mppi_cost_lanes *)of_term[1];
    }
}

/* Compiles the texts and finds their functions: functions[CODE_...]. */
static hed_status code_make(
    hed_mppi *c, hed_arena *arena, bool model, uint32_t terms, hed_error *error)
{
    char names[2 * HED_MPPI_MAX_TERMS][128], subject[192];
    const char *symbols[CODE_MOST] = {"own_step", "own_roll", "own_step_lanes"};
    void *addresses[CODE_MOST] = {NULL}, *functions[CODE_MOST] = {NULL};
    uint32_t slots[CODE_MOST] = {CODE_STEP, CODE_ROLL, CODE_LANES};
    hed_code_def def = {
        .name = subject, .symbols = symbols, .symbol_count = model ? CODE_TERMS : 0};
    snprintf(subject, sizeof subject, "mppi: the text of %s %s", model ? "model" : "a term of",
        c->model.file ? c->model.file : c->model.name);
    for (uint32_t k = 0; k < c->def.term_count; k++)
        for (uint32_t i = 0; i < 2 && (terms >> k & 1); i++) {
            const char *kinds[] = {"cost", "lanes"};
            snprintf(names[2 * k + i], sizeof names[0], "own_%s_%s", kinds[i], c->def.terms[k].name);
            slots[def.symbol_count] = CODE_TERMS + 2 * k + i;
            symbols[def.symbol_count++] = names[2 * k + i];
        }
    def.options = code_options(&def.option_count);
    if (mppi_code_sources(c, arena, model, terms, &def, error)) return error->status;
    hed_status status =
        hed_code_create(hed_device_context(c->device), &def, addresses, &c->compiled->code, error);
    if (status == HED_ERROR_UNSUPPORTED) {
        char text[HED_ERROR_TEXT - 128];
        snprintf(text, sizeof text, "%.*s", (int)sizeof text - 1, error->text);
        hed_error_clear(error);
        return hed_fail(error, status,
            "%s; OpenCL on this processor runs it as well: apt install pocl-opencl-icd", text);
    }
    if (status) return status;
    for (uint32_t i = 0; i < def.symbol_count; i++) functions[slots[i]] = addresses[i];
    code_attach(c, model, terms, functions);
    return HED_OK;
}

hed_status mppi_compile_texts(hed_mppi *c, hed_error *error)
{
    if (hed_failed(error) || code_check_texts(c, error)) return error->status;
    bool host = code_runs_on_host(c), pair = c->def.kind != HED_MPPI_PLAIN;
    bool model = !c->model.step && !c->model.roll && c->model.text && (host || pair);
    /* terms without a C function, and with a compiled model all that have a text */
    uint32_t terms = 0;
    for (uint32_t k = 0; host && k < c->def.term_count; k++)
        if (c->def.terms[k].text && (model || !c->def.terms[k].cost)) terms |= 1u << k;
    if (!model && !terms) return HED_OK;
    hed_arena scratch = {.allocator = c->arena.allocator, .owner = "the text of a controller"};
    c->compiled = hed_arena_new(&c->arena, 1, sizeof *c->compiled, error);
    if (c->compiled) code_make(c, &scratch, model, terms, error);
    hed_arena_free(&scratch);
    return hed_failed(error) ? error->status : HED_OK;
}

void mppi_free_code(hed_mppi *c)
{
    if (c->compiled) hed_code_destroy(c->compiled->code);
}
