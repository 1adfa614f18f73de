/* Definitions of controllers: defaults, values that an incomplete definition takes from the
 * model, and checks. */
#include <math.h>
#include <stdio.h>

#include "model/controller.h"

const hed_mppi_def mppi_default_def = {
    .count = 1,
    .samples = 1024,
    .steps = 100,
    .iterations = 1,
    .seed = 1,
    .lambda = 1,
    .alpha = 1,
    .elite = 0.1f,
    .tsallis_r = 2,
    .tsallis_threshold = 1,
    .crash_cost = 1e30f,
    .log_sigma = 0.5f,
    .knots = 10,
    .kernel_width = 1,
    .pure_noise = 0.01f,
    .keep_plan = true,
    .committed = 1,
    .smooth = true,
    .measure_ns = 100000000,
    .rollouts = 1,
    .risk_level = 0.9f,
    .track_state = {[0 ... HED_MPPI_MAX_STATES - 1] = 1},
    .track_control = {[0 ... HED_MPPI_MAX_CONTROLS - 1] = 1},
    .track_final = {[0 ... HED_MPPI_MAX_STATES - 1] = 1},
    .nominal_threshold = 100,
    .value_threshold = 10,
    .candidates = 9,
    .candidate_samples = 64,
};

hed_mppi_def hed_default_mppi_def(void) { return mppi_default_def; }

/* Valid range of one number of a definition. */
typedef struct number_rule {
    const char *member;
    double value, low, high;
} number_rule;

static hed_status check_numbers(const hed_mppi_def *def, hed_error *error)
{
    const number_rule rules[] = {
        {"count", def->count, 1, 65536},
        {"samples", def->samples, 1, 1 << 24},
        {"steps", def->steps, 1, HED_MPPI_MAX_STEPS},
        {"dt", def->dt, 1e-9, 1e9},
        {"iterations", def->iterations, 1, 1000},
        {"blocks", def->blocks, 1, MPPI_MOST_BLOCKS},
        {"other_device_count", def->other_device_count, 0, def->blocks - 1},
        {"lambda", def->lambda, 1e-30, 1e30},
        {"alpha", def->alpha, 0, 1},
        {"elite", def->elite, 1e-9, 1},
        {"tsallis_r", def->tsallis_r, 1.0001, 1e6},
        {"tsallis_threshold", def->tsallis_threshold, 1e-30, 1e30},
        {"ess_target", def->ess_target, 0, def->samples},
        {"log_sigma", def->log_sigma, 0, 10},
        {"offset_decay", def->offset_decay, 0, 1},
        {"pure_noise", def->pure_noise, 0, 1},
        {"committed", def->committed, 0, def->steps},
        {"delay", def->delay, 0, HED_MPPI_MAX_DELAY},
        {"smooth_weight", def->smooth_weight, 0, 1e30},
        {"rollouts", def->rollouts, 1, HED_MPPI_MAX_ROLLOUTS},
        {"risk_level", def->risk_level, 0, 1},
        {"term_count", def->term_count, 0, HED_MPPI_MAX_TERMS},
        {"table_count", def->table_count, 0, HED_MPPI_MAX_TABLES},
        {"kind", def->kind, 0, HED_MPPI_KIND_COUNT - 1},
        {"sampler", def->sampler, 0, HED_MPPI_SAMPLER_COUNT - 1},
        {"solver", def->solver, 0, HED_MPPI_SOLVER_COUNT - 1},
    };
    for (size_t i = 0; i < HED_COUNT(rules); i++) {
        const number_rule *r = &rules[i];
        if (r->value >= r->low && r->value <= r->high) continue;
        return hed_fail(error, HED_ERROR_ARGUMENT, "mppi: %s is %g: %g to %g is expected",
            r->member, r->value, r->low, r->high);
    }
    return HED_OK;
}

static hed_status check_controls(hed_mppi_def *def, const hed_mppi_model *model, hed_error *error)
{
    bool has_sigma = false, limited = false, is_sampled = false;
    for (uint32_t i = 0; i < model->controls; i++) has_sigma = has_sigma || def->sigma[i] != 0;
    for (uint32_t i = 0; i < model->controls; i++) {
        const char *name = model->control_names ? model->control_names[i] : "";
        if (!has_sigma) def->sigma[i] = model->sigma[i];
        bool has_limits = def->limits_given >> i & 1;
        if (!has_limits && def->minimum[i] == 0 && def->maximum[i] == 0) {
            def->minimum[i] = model->minimum[i];
            def->maximum[i] = model->maximum[i];
        }
        limited = has_limits || def->minimum[i] != 0 || def->maximum[i] != 0;
        if (!limited) {
            def->minimum[i] = -3e38f;
            def->maximum[i] = 3e38f;
        }
        is_sampled = is_sampled || def->sigma[i] > 0;
        if (!(def->sigma[i] >= 0 && isfinite(def->sigma[i])))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: sigma of control %u %s is %g; expected a number from 0 on", i, name,
                (double)def->sigma[i]);
        if (!(def->minimum[i] <= def->maximum[i]))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: control %u %s is limited to %g and above and to %g and below: the minimum "
                "must not be above the maximum",
                i, name, (double)def->minimum[i], (double)def->maximum[i]);
        if (!(def->rate[i] >= 0 && def->deceleration[i] >= 0))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: rate and deceleration of control %u %s are %g and %g; expected 0 (none) or "
                "more",
                i, name, (double)def->rate[i], (double)def->deceleration[i]);
    }
    if (is_sampled || def->sampler == HED_MPPI_GIVEN) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "mppi: sigma of every control is 0; expected a number above 0 for one of them: without noise "
        "all samples are alike");
}

/* Copies `count` floats of a definition into the arena; they must be finite. */
static const float *copy_floats(
    hed_mppi *controller, const float *from, uint64_t count, const char *member, hed_error *error)
{
    if (!from) return NULL;
    for (uint64_t i = 0; i < count; i++) {
        if (isfinite(from[i])) continue;
        hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: element %llu of %s is %g: a finite number is expected", (unsigned long long)i,
            member, (double)from[i]);
        return NULL;
    }
    float *copy = hed_arena_new(&controller->arena, count, sizeof *copy, error);
    return copy ? memcpy(copy, from, count * sizeof *copy) : NULL;
}

/* Computes the inverse and the lower Cholesky factor of a symmetric matrix (n x n); false if the
 * matrix is not positive definite. */
static bool invert(const double *matrix, uint32_t n, float *inverse, float *factor)
{
    double l[HED_MPPI_MAX_CONTROLS][HED_MPPI_MAX_CONTROLS] = {{0}};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double s = matrix[i * n + j];
            for (uint32_t k = 0; k < j; k++) s -= l[i][k] * l[j][k];
            if (i == j && !(s > 0)) return false;
            l[i][j] = i == j ? sqrt(s) : s / l[j][j];
            factor[i * n + j] = (float)l[i][j];
        }
    for (uint32_t column = 0; column < n; column++) {
        double y[HED_MPPI_MAX_CONTROLS], x[HED_MPPI_MAX_CONTROLS];
        for (uint32_t i = 0; i < n; i++) {
            y[i] = i == column;
            for (uint32_t k = 0; k < i; k++) y[i] -= l[i][k] * y[k];
            y[i] /= l[i][i];
        }
        for (uint32_t i = n; i-- > 0;) {
            x[i] = y[i];
            for (uint32_t k = i + 1; k < n; k++) x[i] -= l[k][i] * x[k];
            x[i] /= l[i][i];
            inverse[i * n + column] = (float)x[i];
        }
    }
    return true;
}

static hed_status find_precision(hed_mppi *controller, hed_error *error)
{
    const hed_mppi_def *def = &controller->def;
    uint32_t n = controller->model.controls;
    double covariance[HED_MPPI_MAX_CONTROLS * HED_MPPI_MAX_CONTROLS] = {0};
    for (uint32_t i = 0; i < n * n; i++) {
        if (def->covariance) covariance[i] = def->covariance[i];
        else if (i % (n + 1) == 0) covariance[i] = (double)def->sigma[i / n] * def->sigma[i / n];
        /* a control without noise has no part in the correction: its precision becomes 0 below */
        if (!def->covariance && i % (n + 1) == 0 && def->sigma[i / n] == 0) covariance[i] = 1;
    }
    float *factor = hed_arena_new(&controller->arena, n * n, sizeof *factor, error);
    controller->precision = hed_arena_new(&controller->arena, n * n, sizeof(float), error);
    if (hed_failed(error)) return error->status;
    if (def->covariance) controller->factor = factor;
    if (def->covariance && def->sampler != HED_MPPI_GAUSSIAN && def->sampler != HED_MPPI_LOG_NORMAL)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: covariance is for the samplers GAUSSIAN and LOG_NORMAL; the others take sigma");
    if (!invert(covariance, n, controller->precision, factor))
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "mppi: covariance (%u x %u) is not positive definite", n, n);
    for (uint32_t i = 0; i < n; i++)
        if (!def->covariance && def->sigma[i] == 0) controller->precision[i * (n + 1)] = 0;
    return HED_OK;
}

hed_status mppi_check_pair(const hed_mppi *controller, hed_error *error)
{
    const hed_mppi_def *def = &controller->def;
    const hed_mppi_model *model = &controller->model;
    if (hed_failed(error)) return error->status;
    if (def->kind == HED_MPPI_PLAIN) return HED_OK;
    if (!model->step)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mppi: model %s has no C function, from which TUBE and ROBUST find their feedback",
            model->name);
    if (def->update != HED_MPPI_EXPONENTIAL && def->kind == HED_MPPI_ROBUST)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "mppi: ROBUST goes with update EXPONENTIAL alone");
    if (def->rollouts > 1 && def->kind == HED_MPPI_ROBUST)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "mppi: ROBUST goes with one rollout of a sample");
    for (uint32_t i = 0; i < model->controls; i++)
        if (!(def->track_control[i] > 0))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: track_control of control %u is %g: a number above 0 is expected", i,
                (double)def->track_control[i]);
    if (def->kind == HED_MPPI_ROBUST &&
        (def->candidates < 3 || def->candidates % 2 == 0 || def->candidates > 255))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: candidates is %u: an odd number from 3 to 255 is expected", def->candidates);
    if (def->kind == HED_MPPI_ROBUST && def->candidate_samples < 1)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: candidate_samples is 0; expected at least 1 for ROBUST");
    if (def->kind == HED_MPPI_ROBUST &&
        (uint64_t)def->candidates * def->candidate_samples > def->samples)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: %u candidates of %u samples are more than the %u samples of a solve",
            def->candidates, def->candidate_samples, def->samples);
    return HED_OK;
}

/* Checks the definition of a model that is simulated as a whole. */
static hed_status check_roll(const hed_mppi *controller, hed_error *error)
{
    const hed_mppi_def *def = &controller->def;
    const char *obstacle = def->kind != HED_MPPI_PLAIN ? "TUBE or ROBUST"
                           : controller->disturbed     ? "a disturbance"
                           : def->blocks > 1           ? "several devices or blocks"
                                                       : NULL;
    if (!obstacle) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "mppi: model %s is simulated as a whole, and the definition has %s; expected PLAIN on one "
        "device, without disturbances",
        controller->model.name, obstacle);
}

hed_status mppi_complete(hed_mppi *controller, const hed_mppi_def *request, hed_error *error)
{
    hed_mppi_def *def = &controller->def;
    *def = *request;
    if (!def->model)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "mppi: model is NULL, expected the system to control");
    const hed_mppi_model *model = def->model;
    controller->model = *model;
    if (def->choice && strlen(def->choice) >= sizeof controller->requested)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: choice has %zu characters; expected at most %zu", strlen(def->choice),
            sizeof controller->requested - 1);
    if (def->choice) def->choice = strcpy(controller->requested, def->choice);
    if (model->states < 1 || model->states > HED_MPPI_MAX_STATES || model->controls < 1 ||
        model->controls > HED_MPPI_MAX_CONTROLS)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: model %s has %u states and %u controls: 1 to %d and 1 to %d are allowed",
            model->name, model->states, model->controls, HED_MPPI_MAX_STATES,
            HED_MPPI_MAX_CONTROLS);
    if (model->pose_heading >= 0 && model->pose_heading < 32)
        controller->model.angles |= 1u << model->pose_heading;
    if (def->dt == 0) def->dt = model->dt;
    if (def->blocks == 0) def->blocks = def->other_device_count ? 8 : 1;
    /* a step without noise is no plan: the last one is always sampled */
    if (def->committed == def->steps) def->committed = def->steps - 1;
    if (check_numbers(def, error) || check_controls(def, model, error)) return error->status;

    uint64_t plan = (uint64_t)def->steps * model->controls;
    def->sigma_steps = copy_floats(controller, def->sigma_steps, plan, "sigma_steps", error);
    def->covariance = copy_floats(controller, def->covariance,
        (uint64_t)model->controls * model->controls, "covariance", error);
    hed_mppi_term *terms = hed_arena_new(&controller->arena, def->term_count, sizeof *terms, error);
    hed_mppi_table *tables =
        hed_arena_new(&controller->arena, def->table_count, sizeof *tables, error);
    controller->table_counts = hed_arena_new(
        &controller->arena, (uint64_t)def->count * HED_MPPI_MAX_TABLES, sizeof(uint32_t), error);
    controller->numbers =
        hed_arena_new(&controller->arena, def->count, sizeof *controller->numbers, error);
    controller->text_rows = 1;
    if (hed_failed(error)) return error->status;
    for (uint32_t i = 0; i < def->count; i++) controller->numbers[i] = i;
    if (def->term_count) memcpy(terms, def->terms, def->term_count * sizeof *terms);
    def->terms = terms;
    for (uint32_t i = 0; i < def->table_count; i++) {
        tables[i] = def->tables[i];
        if (tables[i].capacity < tables[i].count) tables[i].capacity = tables[i].count;
        uint32_t copies = tables[i].per_controller ? def->count : 1;
        if (tables[i].per_controller) controller->text_rows = def->count;
        controller->tables[i] = hed_arena_new(
            &controller->arena, (uint64_t)tables[i].capacity * copies + 8, sizeof(float), error);
        tables[i].values =
            copy_floats(controller, tables[i].values, tables[i].count, tables[i].name, error);
        if (hed_failed(error)) return error->status;
        for (uint32_t n = 0; n < copies && tables[i].values; n++)
            memcpy(controller->tables[i] + (uint64_t)n * tables[i].capacity, tables[i].values,
                tables[i].count * sizeof(float));
        for (uint32_t n = 0; n < def->count; n++)
            controller->table_counts[n * HED_MPPI_MAX_TABLES + i] = tables[i].count;
    }
    def->tables = tables;
    for (uint32_t i = 0; i < model->states; i++) {
        if (!(def->disturbance[i] >= 0 && def->disturbance[i] < 1e30f))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: disturbance of state %u is %g: 0 or more is expected", i,
                (double)def->disturbance[i]);
        controller->disturbed = controller->disturbed || def->disturbance[i] > 0;
    }
    if (def->rollouts > 1 && !controller->disturbed)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: %u rollouts of each sample without a disturbance are all alike", def->rollouts);
    if (def->smooth_weight > 0) /* the noise is added to the derivative */
        for (uint32_t i = 0; i < model->controls; i++) def->sigma[i] *= def->dt;
    if (def->blocks > 1 && (def->update != HED_MPPI_EXPONENTIAL || def->kind == HED_MPPI_ROBUST))
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mppi: ROBUST and the updates ELITE and TSALLIS sum all samples up together: one device, "
            "and one block; %u blocks on %u devices were asked for",
            def->blocks, 1 + def->other_device_count);
    if (model->roll && check_roll(controller, error)) return error->status;
    find_precision(controller, error);
    if (mppi_make_sampler(controller, error)) return error->status;
    if (def->sampler == HED_MPPI_GIVEN)
        controller->noise =
            hed_arena_new(&controller->arena, plan * def->samples, sizeof(float), error);
    return mppi_list_parameters(controller, error);
}

/* Checks that a term only uses state names that the model has. */
static hed_status check_words(
    const hed_mppi_model *model, const hed_mppi_term *term, hed_error *error)
{
    const struct {
        const char *word, *meaning;
        int32_t state;
    } words[] = {
        {"POSE_X", "position", model->pose_x},
        {"POSE_Y", "position", model->pose_y},
        {"POSE_HEADING", "heading", model->pose_heading},
        {"SPEED", "forward speed", model->speed},
        {"TURN", "turn rate", model->turn},
        {"VELOCITY_X", "velocity", model->velocity_x},
        {"VELOCITY_Y", "velocity", model->velocity_y},
    };
    for (size_t i = 0; i < HED_COUNT(words) && term->text; i++) {
        char use[32];
        snprintf(use, sizeof use, "x[%s]", words[i].word);
        if (words[i].state >= (int32_t)model->states)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: model %s has its %s in state %d: it has %u states", model->name,
                words[i].meaning, words[i].state, model->states);
        if (words[i].state < 0 && strstr(term->text, use))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: term %s reads the %s (%s): none of the states of model %s is that; choose "
                "another term, or say in the model which state it is",
                term->name, words[i].meaning, words[i].word, model->name);
    }
    return HED_OK;
}

/* Makes the name of a parameter or of one of its elements: "prefix.name", "prefix.name.element"
 * or "prefix.name.3". NULL: out of memory. */
static const char *parameter_name(hed_mppi *controller, const char *prefix,
    const hed_mppi_parameter *p, const char *element, uint32_t index, hed_error *error)
{
    const char *dot = *prefix ? "." : "";
    size_t size =
        strlen(prefix) + strlen(p->name) + (element ? strlen(element) : 0) + sizeof "..4294967295";
    char *name = hed_arena_new(&controller->arena, size, 1, error);
    if (!name) return NULL;
    if (element) snprintf(name, size, "%s%s%s.%s", prefix, dot, p->name, element);
    else if (p->length) snprintf(name, size, "%s%s%s.%u", prefix, dot, p->name, index);
    else snprintf(name, size, "%s%s%s", prefix, dot, p->name);
    return name;
}

/* Adds the parameters of one text, named "prefix.name", or "name" without a prefix. */
static hed_status add_parameters(hed_mppi *controller, const char *prefix,
    const hed_mppi_parameter *parameters, uint32_t count, hed_error *error)
{
    const hed_mppi_model *model = &controller->model;
    for (uint32_t i = 0; i < count; i++) {
        const hed_mppi_parameter *p = &parameters[i];
        bool states = p->length == HED_MPPI_EACH_STATE, is_array = p->length < 0;
        uint32_t length = is_array ? (states ? model->states : model->controls)
                                   : (p->length ? (uint32_t)p->length : 1);
        const char *const *names = states ? model->state_names : model->control_names;
        for (uint32_t e = 0; e < length; e++) {
            const char *element = is_array && names ? names[e] : NULL;
            const char *name = parameter_name(controller, prefix, p, element, e, error);
            if (!name) return error->status;
            if (controller->parameter_count == HED_MPPI_MAX_PARAMETERS)
                return hed_fail(error, HED_ERROR_LIMIT,
                    "mppi: parameter %s is one too many: %d at most, of model and terms together",
                    name, HED_MPPI_MAX_PARAMETERS);
            controller->parameters[controller->parameter_count] = p->value;
            controller->parameter_names[controller->parameter_count++] = name;
        }
    }
    return HED_OK;
}

/* Finds the tables that a text names in the controller's list. */
static hed_status find_tables(hed_mppi *controller, mppi_part *part, const char *text,
    const char *const *names, uint32_t count, hed_error *error)
{
    const hed_mppi_def *def = &controller->def;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;
        while (at < def->table_count && strcmp(def->tables[at].name, names[i])) at++;
        if (at == def->table_count)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: %s reads a table \"%s\": none of that name was given", text, names[i]);
        if (i == HED_MPPI_MAX_TABLES)
            return hed_fail(error, HED_ERROR_LIMIT, "mppi: %s reads %u tables: %d at most", text,
                count, HED_MPPI_MAX_TABLES);
        part->table_index[i] = at;
        part->tables[i] = controller->tables[at];
        part->table_counts[i] = controller->table_counts[at]; /* counts of the first controller */
        part->table_count = i + 1;
    }
    return HED_OK;
}

hed_status mppi_list_parameters(hed_mppi *controller, hed_error *error)
{
    const hed_mppi_def *def = &controller->def;
    const hed_mppi_model *model = &controller->model;
    uint64_t texts = 1 + def->term_count;
    controller->parameters = hed_arena_new(
        &controller->arena, (uint64_t)def->count * HED_MPPI_MAX_PARAMETERS, sizeof(float), error);
    mppi_part *list = controller->texts = hed_arena_new(
        &controller->arena, controller->text_rows * texts, sizeof *controller->texts, error);
    if (hed_failed(error)) return error->status;
    add_parameters(controller, "", model->parameters, model->parameter_count, error);
    list[0] = (mppi_part){.count = controller->parameter_count};
    find_tables(controller, list, model->name, model->tables, model->table_count, error);
    for (uint32_t i = 0; model->table_needs && i < list->table_count; i++) {
        uint32_t at = list->table_index[i], need = model->table_needs[i];
        controller->table_needs[at] = need;
        if (def->tables[at].count < need)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: table %s has %u floats: model %s reads %u", def->tables[at].name,
                def->tables[at].count, model->name, need);
    }
    for (uint32_t i = 0; i < def->term_count && !hed_failed(error); i++) {
        const hed_mppi_term *term = &def->terms[i];
        const hed_mppi_parameter weight = {"weight", term->weight, NULL, 0};
        uint32_t first = controller->parameter_count;
        check_words(model, term, error);
        add_parameters(controller, term->name, &weight, 1, error);
        add_parameters(controller, term->name, term->parameters, term->parameter_count, error);
        list[1 + i] = (mppi_part){
            .first = first + 1, .count = controller->parameter_count - first - 1, .weight = first};
        find_tables(controller, &list[1 + i], term->name, term->tables, term->table_count, error);
    }
    for (uint32_t i = 0; i < def->setting_count && !hed_failed(error); i++) {
        uint32_t index = hed_mppi_parameter_find(controller, def->settings[i].name);
        if (index == UINT32_MAX)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: no parameter \"%s\": model %s and its terms have %u, from \"%s\" on; heddle "
                "mppi models lists them",
                def->settings[i].name, model->name, controller->parameter_count,
                controller->parameter_count ? controller->parameter_names[0] : "");
        if (!isfinite(def->settings[i].value))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: parameter %s is %g: a finite number is expected", def->settings[i].name,
                (double)def->settings[i].value);
        controller->parameters[index] = def->settings[i].value;
    }
    for (uint32_t n = 1; n < def->count; n++)
        memcpy(controller->parameters + (uint64_t)n * controller->parameter_count,
            controller->parameters, controller->parameter_count * sizeof(float));
    for (uint32_t n = 1; n < controller->text_rows; n++)
        for (uint32_t k = 0; k < texts; k++) {
            mppi_part *part = &list[n * texts + k];
            *part = list[k];
            for (uint32_t i = 0; i < part->table_count; i++) {
                const hed_mppi_table *table = &def->tables[part->table_index[i]];
                if (table->per_controller) part->tables[i] += (uint64_t)n * table->capacity;
            }
        }
    return hed_failed(error) ? error->status : HED_OK;
}

uint32_t hed_mppi_parameter_find(const hed_mppi *controller, const char *name)
{
    if (!controller || !name) return UINT32_MAX;
    for (uint32_t i = 0; i < controller->parameter_count; i++)
        if (!strcmp(controller->parameter_names[i], name)) return i;
    return UINT32_MAX;
}

const char *hed_mppi_parameter_at(const hed_mppi *controller, uint32_t index, float *value)
{
    if (!controller) return NULL;
    if (index >= controller->parameter_count) return NULL;
    if (value) *value = controller->parameters[index];
    return controller->parameter_names[index];
}
