/* heddle mppi: sampling model-predictive control. The command itself, and its small subcommands:
 * the list of models and terms, and tuning for a device. */
#include "subcommands.h"

#include "cli/common/report.h"
#include "cli/tune/tune_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- models ---- */

/* Prints an item in one row, its parameters in the rows below; not for JSON. */
static void models_rows(cli_report *report, const char *kind, const char *name, const char *shape,
    const char *summary, const hed_mppi_parameter *parameters, uint32_t count)
{
#define MODELS_ROW(kind_, name_, parameter_, value_, shown_, text_) \
    cli_report_row(report, CLI_TEXT(NULL, kind_, .heading = "KIND"), \
        CLI_TEXT(NULL, name_, .heading = "NAME"), \
        CLI_TEXT(NULL, parameter_, .heading = "PARAMETER"), \
        CLI_NUMBER(NULL, value_, .heading = ">DEFAULT"), \
        CLI_TEXT(NULL, shown_, .heading = "FOR EACH"), CLI_TEXT(NULL, text_, .heading = "WHAT"))
    MODELS_ROW(kind, name, "", NAN, shape, summary);
    for (uint32_t i = 0; i < count; i++) {
        const hed_mppi_parameter *p = &parameters[i];
        char length[32] = "";
        if (p->length > 0) snprintf(length, sizeof length, "of %d", p->length);
        MODELS_ROW("", "", p->name, p->value,
            p->length == HED_MPPI_EACH_STATE     ? "state"
            : p->length == HED_MPPI_EACH_CONTROL ? "control"
                                                 : length,
            p->summary ? p->summary : "");
    }
}

static void models_parameters(
    cli_report *report, const hed_mppi_parameter *parameters, uint32_t count)
{
    cli_report_open_list(report, "parameters");
    for (uint32_t i = 0; i < count; i++) {
        const hed_mppi_parameter *p = &parameters[i];
        cli_report_row(report, CLI_TEXT("name", p->name), CLI_NUMBER("value", cli_mppi_decimal(p->value)),
            CLI_TEXT("summary", p->summary ? p->summary : ""));
        if (p->length > 0) cli_report_more(report, CLI_WHOLE("length", p->length));
        if (p->length < 0)
            cli_report_more(
                report, CLI_TEXT("each", p->length == HED_MPPI_EACH_STATE ? "state" : "control"));
    }
    cli_report_close(report);
}

static void models_add_model(cli_report *report, bool json, const hed_mppi_model *model)
{
    char shape[48];
    snprintf(shape, sizeof shape, "%u x, %u u", model->states, model->controls);
    if (!json) {
        models_rows(report, "model", model->name, shape, model->summary, model->parameters,
            model->parameter_count);
        return;
    }
    cli_report_row(report, CLI_TEXT("kind", "model"), CLI_TEXT("name", model->name),
        CLI_TEXT("summary", model->summary));
    cli_report_open_list(report, "states");
    for (uint32_t i = 0; i < model->states; i++) {
        char name[16];
        cli_report_row(report, CLI_TEXT("name", cli_mppi_state_name(model, i, name)),
            CLI_NUMBER("start", cli_mppi_decimal(model->start[i])),
            CLI_FLAG("angle", model->angles >> i & 1));
    }
    cli_report_close(report);
    cli_report_open_list(report, "controls");
    for (uint32_t i = 0; i < model->controls; i++) {
        char name[16];
        bool limits = model->minimum[i] != 0 || model->maximum[i] != 0;
        cli_report_row(report, CLI_TEXT("name", cli_mppi_control_name(model, i, name)),
            CLI_NUMBER("sigma", cli_mppi_decimal(model->sigma[i])),
            CLI_NUMBER("minimum", limits ? cli_mppi_decimal(model->minimum[i]) : NAN),
            CLI_NUMBER("maximum", limits ? cli_mppi_decimal(model->maximum[i]) : NAN));
    }
    cli_report_close(report);
    cli_report_more(report, CLI_NUMBER("dt", cli_mppi_decimal(model->dt)));
    models_parameters(report, model->parameters, model->parameter_count);
}

static void models_add_term(cli_report *report, bool json, const hed_mppi_term *term)
{
    static const char *const when[] = {"each step", "the end", "each step and the end"};
    if (!json) {
        models_rows(report, "term", term->name, when[term->when], term->summary, term->parameters,
            term->parameter_count);
        return;
    }
    cli_report_row(report, CLI_TEXT("kind", "term"), CLI_TEXT("name", term->name),
        CLI_TEXT("summary", term->summary), CLI_NUMBER("weight", cli_mppi_decimal(term->weight)),
        CLI_TEXT("when", when[term->when]));
    models_parameters(report, term->parameters, term->parameter_count);
}

static int models_run(const hed_arguments *arguments, void *user)
{
    (void)user;
    const char *filter = hed_text_of(arguments, "NAME");
    const char *text = hed_text_of(arguments, "text");
    hed_error error = {0};
    if (text) {
        const hed_mppi_model *model = hed_mppi_model_find(text);
        const hed_mppi_term *term = hed_mppi_term_find(text);
        if (!model && !term)
            hed_fail(&error, HED_ERROR_ARGUMENT,
                "there is no model or term \"%s\"; \"heddle mppi models\" lists them", text);
        else fputs(model ? model->text : term->text, stdout);
        return hed_failed(&error) ? cli_refuse(&error) : HED_EXIT_OK;
    }
    bool json = hed_given(arguments, "json");
    cli_report *report = cli_report_create(json);
    const hed_mppi_model *model;
    const hed_mppi_term *term;
    for (uint32_t i = 0; (model = hed_mppi_model_at(i)); i++)
        if (!filter || !strcmp(filter, model->name)) models_add_model(report, json, model);
    for (uint32_t i = 0; (term = hed_mppi_term_at(i)); i++)
        if (!filter || !strcmp(filter, term->name)) models_add_term(report, json, term);
    if (filter && report && !cli_report_rows(report)) {
        cli_report_free(report);
        hed_fail(&error, HED_ERROR_ARGUMENT,
            "there is no model or term \"%s\"; \"heddle mppi models\" lists them", filter);
        return cli_refuse(&error);
    }
    return cli_end(cli_report_end(report, HED_OK, &error), &error);
}

static const hed_option MODELS_OPTIONS[] = {CLI_OPTION_JSON(true),
    OPTION("text", TEXT, "NAME", "print the text of a model or term, to begin your own from",
        .letter = 0),
    {0}};

static void models_list(const hed_names *names, hed_name_function *add, void *user)
{
    const hed_mppi_model *model;
    const hed_mppi_term *term;
    for (uint32_t i = 0; (model = hed_mppi_model_at(i)); i++) add(user, model->name, "model");
    for (uint32_t i = 0; (term = hed_mppi_term_at(i)); i++) add(user, term->name, "term of a cost");
}

static const hed_names MODEL_NAMES = {.list = models_list};

static const hed_command hed_command_mppi_models = {
    .name = "models",
    .summary = "list models and terms of costs, with their parameters",
    .description =
        "A model has states x and controls u; a cost is a sum of terms (\"critics\"), each with a weight, NAME.weight. "
        "Parameters are set by name: mass=2 of the model, goal.x=3 of the term goal.",
    .options = MODELS_OPTIONS,
    .positionals =
        (const hed_option[]){
            POSITIONAL("NAME", TEXT, "this model or term alone", .names = &MODEL_NAMES), {0}},
    .examples = (const hed_example[]){{"heddle mppi models cartpole", "one model"},
        {"heddle mppi models --text cartpole > my_robot.h", "its text, to be changed"}, {0}},
    .run = models_run,
};

/* ---- tune ---- */

static hed_status mppi_tune_all(hed_device *device, const void *user, const hed_tune_def *def,
    hed_tune_result **result, hed_error *error)
{
    return hed_mppi_tune(device, user, def, result, error);
}

static int mppi_tune_run(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    cli_mppi_subject subject = {0};
    hed_error error = {0};
    if (cli_open_devices(arguments, &session, &error) != HED_OK) return cli_fail(&error);
    int code = HED_EXIT_USAGE;
    if (session.count != 1)
        fputs("heddle: tune one device at a time: other work disturbs the measurement\n", stderr);
    else if (cli_mppi_subject_open(arguments, &subject, &error) != HED_OK) code = cli_fail(&error);
    else
        code = cli_tune_engine(arguments, &session, hed_mppi_tune_description(), subject.name,
            mppi_tune_all, &subject.def, &error);
    cli_mppi_subject_close(&subject);
    cli_close(&session);
    return code;
}

static const hed_option TUNE_OPTIONS[] = {CLI_TUNE_ENGINE_OPTIONS, CLI_MPPI_SIZE_OPTIONS, {0}};

const hed_command hed_command_mppi_tune = {
    .name = "tune",
    .summary = "find the fastest structure of a solve on a device",
    .description =
        "Measures whole solves: kernels one after another or one kernel with packets, group sizes, how many samples a "
        "group has, whether noise is kept or drawn again. The winner is kept in the tuning database, where controllers of "
        "that model and about that size find it.",
    .options = TUNE_OPTIONS,
    .positionals =
        (const hed_option[]){POSITIONAL("MODEL", FILE, "a model of Heddle's, or a scene, FILE.json",
                                 .names = &cli_mppi_names, .required = true),
            {0}},
    .examples = (const hed_example[]){{"heddle mppi tune cartpole -n 8192 --device cuda:0",
                                          "8,192 futures on the first CUDA device"},
        {0}},
    .run = mppi_tune_run,
};

/* ---- mppi ---- */

static const hed_command *const MPPI_COMMANDS[] = {&hed_command_mppi_run, &hed_command_mppi_import,
    &hed_command_mppi_new, &hed_command_mppi_models, &hed_command_mppi_tune,
    &hed_command_mppi_bench, NULL};
static const hed_example MPPI_EXAMPLES[] = {
    {"heddle mppi run cartpole --plot swing.svg", "swing a pole up, and look at it"},
    {"heddle mppi new my_robot", "a folder to begin your own from"},
    {"heddle mppi models", "what comes with Heddle"}, {0}};

const hed_command hed_command_mppi = {
    .name = "mppi",
    .summary = "control a robot by sampling its futures (MPPI)",
    .description =
        "Model-predictive path integral control: thousands of futures are sampled around the present plan, rolled out "
        "through a model and weighed by their costs; the weighted mean is the new plan. docs/mppi.md is the way in.",
    .commands = MPPI_COMMANDS,
    .examples = MPPI_EXAMPLES,
};
