/* The runner over a page (heddle/runner.h). The page compiles, runs and times; this side composes
 * the requests, checks every configuration against the device's limits before it is sent (Firefox
 * accepts groups over its own limit), and stores the samples of a reply for the following requests.
 * If the page replies slowly (Firefox checks for finished work every 100 ms), several candidates
 * that are compiled already run in one request. */
#include "web/job.h"
#include "web/web.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUILDERS = 8,        /* pipelines that the page creates at once */
    MOST_AHEAD = 128,    /* candidates whose build is requested in advance */
    FIRST_SAMPLES = 5,   /* samples of a candidate with its check */
    BUILD_SECONDS = 240, /* a browser's compiler may take this long, s */
    SLACK_SECONDS = 20,
};
#define SLOW_FLOOR 0.01 /* s; a page whose waits take longer gets several candidates at once */
/* a span is at least this many steps of the clock: a step is a third of a percent */
#define SPAN_QUANTA 305
#define LEAST_SPAN 1e-3

typedef struct candidate {
    hed_config config;
    hed_page_trial trial;
    uint32_t returned_count; /* samples that were returned */
    enum { EMPTY, BUILDING, READY } state;
    bool handed; /* built() has returned it */
    bool ran;    /* the result is checked, and the first samples exist */
    uint64_t id; /* id of the request, while BUILDING */
} candidate;

typedef struct page_runner {
    hed_runner runner;
    hed_web *web;
    hed_runner_def def;
    hed_wgsl *shader;
    uint32_t session; /* session that the job was sent to */
    uint64_t next_id;
    candidate slots[HED_RUNNER_SLOTS];
    candidate prebuilds[MOST_AHEAD];
    double best; /* fastest sample of all candidates, s */
} page_runner;

static page_runner *page_of(hed_runner *runner) { return (page_runner *)runner; }

static hed_trial page_new_trial(void)
{
    return (hed_trial){.outcome = HED_OUTCOME_MEASURED,
        .error = (double)NAN,
        .resources = {-1, -1, -1, -1, -1, -1, false, 0}};
}

static hed_trial page_trial_of(const hed_page_trial *result)
{
    hed_trial trial = page_new_trial();
    trial.outcome = result->outcome;
    trial.build_seconds = result->build_seconds;
    trial.error = result->error;
    snprintf(trial.text, sizeof trial.text, "%s", result->text);
    return trial;
}

/* ---- messages ---- */

/* Sends and frees `message`; NULL: memory ran out before. */
static hed_status page_send(page_runner *page, json_t *message, hed_error *error)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    if (text) hed_web_send(page->web, text, strlen(text), error);
    else HED_OUT_OF_MEMORY(error, "a message to the page");
    free(text);
    json_decref(message);
    return error->status;
}

/* ---- the page's answers ---- */

typedef enum page_event { ANSWERED, PAGE_GONE, PAGE_LATE, STOPPED } page_event;

/* Stores the result of a build with its candidate. */
static void page_take_built(page_runner *page, const hed_page_answer *answer)
{
    for (uint32_t i = 0; i < MOST_AHEAD; i++) {
        candidate *c = &page->prebuilds[i];
        if (c->state != BUILDING || c->id != answer->id || !answer->count) continue;
        c->trial = answer->trials[0];
        c->state = READY;
    }
}

/* Waits for the reply to request `id`; 0: for a build requested in advance. */
static page_event page_await(
    page_runner *page, uint64_t id, double seconds, hed_page_answer *answer, hed_error *error)
{
    double until = hed_web_now() + seconds;
    for (;;) {
        hed_web_item *item = hed_web_receive(page->web);
        if (item) {
            hed_error cause = {0};
            bool read = !hed_page_answer_read(item->bytes, item->size, answer, &cause);
            free(item);
            if (!read) {
                hed_fail(error, HED_ERROR_IO, "invalid reply from the page: %s", cause.text);
                return PAGE_GONE;
            }
            page_take_built(page, answer);
            if (!id || answer->id == id) return ANSWERED;
        }
        hed_web_revive(page->web);
        if (hed_web_session(page->web) != page->session) return PAGE_GONE;
        if (page->def.idle && page->def.idle(page->def.user)) return STOPPED;
        if (hed_web_now() >= until) return PAGE_LATE;
    }
}

/* ---- the job ---- */

static double page_span(const page_runner *page)
{
    const hed_page description = hed_web_page(page->web);
    return description.stamps ? fmax(LEAST_SPAN, SPAN_QUANTA * description.quantum_seconds)
                              : fmax(LEAST_SPAN, 100 * fmax(description.floor_seconds,
                                                           description.quantum_seconds));
}

static hed_status page_send_job(page_runner *page, hed_error *error)
{
    hed_page_answer answer;
    uint64_t id = ++page->next_id;
    const hed_kernel_def *kernel = page->def.kernel;
    const hed_source *source = &kernel->sources[kernel->source_count - 1];
    json_t *message = json_pack("{ss sI ss ss so sf sf ss sb}", "do", "open", "id", (json_int_t)id,
        "name", kernel->name, "entry", page->shader->entry, "bindings",
        hed_job_bindings(&page->def, page->shader), "span", page_span(page), "timeout",
        page->def.timeout_seconds, "source", source->name, "restarts",
        page->web->def.restart != NULL);
    if (message) json_object_set_new(message, "code", hed_job_code(&page->def, page->shader));
    /* This page does not know the builds of the previous one. */
    for (uint32_t i = 0; i < MOST_AHEAD; i++)
        if (page->prebuilds[i].state == BUILDING) {
            page->prebuilds[i].trial = (hed_page_trial){.error = (double)NAN};
            page->prebuilds[i].state = READY;
        }
    if (page_send(page, message, error)) return error->status;
    page_event event = page_await(page, id, BUILD_SECONDS, &answer, error);
    if (hed_failed(error)) return error->status;
    if (event == STOPPED) return HED_OK;
    if (event != ANSWERED || !answer.count)
        return hed_fail(error, HED_ERROR_LOST, "the page was closed, or no longer replies");
    if (answer.trials[0].outcome)
        return hed_fail(error,
            answer.trials[0].outcome == HED_OUTCOME_BUILD ? HED_ERROR_BUILD : HED_ERROR_DRIVER,
            "%s: the browser reports: %s", source->name, answer.trials[0].text);
    return HED_OK;
}

/* Waits for a page if no page is connected. `session`: out; 0 if the tuning is to end. */
static hed_status page_connect(page_runner *page, uint32_t *session, hed_error *error)
{
    double patience = page->web->def.patience > 0 ? page->web->def.patience : HED_WEB_PATIENCE,
           until = hed_web_now() + patience;
    if (page->web->restarted > 0) until = fmax(until, page->web->restarted + HED_WEB_START);
    while (!(*session = hed_web_session(page->web)) && hed_web_now() < until) {
        if (hed_web_revive(page->web)) until = hed_web_now() + HED_WEB_START;
        free(hed_web_receive(page->web));
        if (page->def.idle && page->def.idle(page->def.user)) return HED_OK;
    }
    if (*session) return HED_OK;
    return hed_fail(error, HED_ERROR_LOST,
        "the page was closed, and no other page connected within %.0f s; the measurements are in "
        "the database, and --resume continues from them",
        patience);
}

/* Waits for a page, and sends it the job if it does not have it. If the page disappears meanwhile, the
 * next page gets the job. */
static hed_status page_ensure(page_runner *page, hed_error *error)
{
    for (uint32_t tries = 0;; tries++) {
        uint32_t session = 0;
        if (page_connect(page, &session, error) || !session || session == page->session)
            return error->status;
        page->session = session;
        page_send_job(page, error);
        bool is_gone = error->status == HED_ERROR_LOST && hed_web_session(page->web) != session;
        if (!is_gone || tries > 0) return error->status;
        hed_error_clear(error);
    }
}

/* Sends one request for several candidates; the reply has a result for each. If the page disappears
 * meanwhile, the next page gets the request. */
static hed_status page_ask(page_runner *page, const char *kind, candidate *const *candidates,
    uint32_t count, const uint32_t *samples, double seconds, hed_page_answer *answer, bool *stopped,
    hed_error *error)
{
    *stopped = false;
    for (uint32_t tries = 0; tries < 2; tries++) {
        if (page_ensure(page, error)) return error->status;
        uint64_t id = ++page->next_id;
        json_t *list = json_array();
        for (uint32_t i = 0; i < count; i++)
            json_array_append_new(list,
                hed_job_candidate(&page->def, page->shader, &candidates[i]->config, samples[i]));
        json_t *message = json_pack("{ss sI so sf}", "do", kind, "id", (json_int_t)id, "candidates",
            list, "best", isfinite(page->best) ? page->best : 0);
        if (page_send(page, message, error)) return error->status;
        page_event event = page_await(page, id, seconds, answer, error);
        if (hed_failed(error)) return error->status;
        *stopped = event == STOPPED;
        if (*stopped) return HED_OK;
        if (event == ANSWERED && answer->dead && !hed_web_restart(page->web))
            page->runner.lost = true;
        if (event == ANSWERED && answer->count == count) return HED_OK;
        if (event == ANSWERED)
            return hed_fail(error, HED_ERROR_IO, "the page has answered for %u candidates of %u",
                answer->count, count);
        if (event == PAGE_LATE)
            return hed_fail(error, HED_ERROR_LOST,
                "the page has not answered for %.0f s: its device hangs", seconds);
    }
    return hed_fail(error, HED_ERROR_LOST, "the page was closed again");
}

static void page_keep_samples(page_runner *page, candidate *c, const hed_page_trial *trial)
{
    double built = c->trial.build_seconds;
    c->trial = *trial;
    c->trial.build_seconds = fmax(built, trial->build_seconds);
    c->returned_count = 0;
    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->samples[i] > 0) page->best = fmin(page->best, trial->samples[i]);
}

static double page_allowance(const page_runner *page, uint32_t count)
{
    double allowance = page->def.timeout_seconds > 0 ? page->def.timeout_seconds : SLACK_SECONDS;
    return BUILD_SECONDS + count * (4 * allowance + page->def.compile_seconds) + SLACK_SECONDS;
}

/* ---- the runner ---- */

static candidate *find_ahead(page_runner *page, const hed_config *config)
{
    for (uint32_t i = 0; i < MOST_AHEAD; i++) {
        candidate *c = &page->prebuilds[i];
        if (c->state != EMPTY && hed_config_equal(&c->config, config)) return c;
    }
    return NULL;
}

static bool page_is_valid(
    const page_runner *page, const hed_config *config, char *text, size_t size)
{
    const hed_runner_def *def = &page->def;
    return hed_kernel_valid(def->kernel, config, def->problem, def->device, def->math, text, size);
}

static hed_status page_build_ahead(hed_runner *runner, const hed_config *config, hed_error *error)
{
    page_runner *page = page_of(runner);
    uint32_t i = 0;
    while (i < MOST_AHEAD && page->prebuilds[i].state != EMPTY) i++;
    if (i == MOST_AHEAD)
        return hed_fail(error, HED_ERROR_LIMIT, "more than %d candidates ahead", MOST_AHEAD);
    candidate *c = &page->prebuilds[i];
    *c = (candidate){.config = *config, .state = READY, .trial.error = (double)NAN};
    if (!page_is_valid(page, config, c->trial.text, sizeof c->trial.text)) {
        c->trial.outcome = HED_OUTCOME_INVALID;
        return HED_OK;
    }
    if (page_ensure(page, error)) return error->status;
    c->id = ++page->next_id;
    c->state = BUILDING;
    return page_send(page,
        json_pack("{ss sI s[o]}", "do", "build", "id", (json_int_t)c->id, "candidates",
            hed_job_candidate(&page->def, page->shader, config, 0)),
        error);
}

static bool page_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    page_runner *page = page_of(runner);
    hed_page_answer answer;
    hed_error ignored = {0}; /* prepare() reports it */
    double until = hed_web_now() + seconds;
    for (;;) {
        bool building = false;
        for (uint32_t i = 0; i < MOST_AHEAD; i++) {
            candidate *c = &page->prebuilds[i];
            building = building || c->state == BUILDING;
            if (c->state != READY || c->handed) continue;
            *config = c->config;
            *trial = page_trial_of(&c->trial);
            c->handed = true;
            if (trial->outcome) c->state = EMPTY;
            return true;
        }
        double left = until - hed_web_now();
        if (!building || left <= 0) return false;
        page_event event = page_await(page, 0, left, &answer, &ignored);
        if (event == PAGE_GONE)
            for (uint32_t i = 0; i < MOST_AHEAD; i++)
                if (page->prebuilds[i].state == BUILDING) page->prebuilds[i].state = READY;
        if (event == STOPPED) return false;
    }
}

/* Chooses the candidates of one request: the requested one, and, if each request is slow, others
 * that are compiled. */
static uint32_t choose_batch(
    page_runner *page, candidate *requested, candidate *batch[HED_WEB_BATCH])
{
    uint64_t written = 1, most_bytes = 256u << 20;
    uint32_t count = 0, limit = 1;
    for (uint32_t i = 0; i < page->def.kernel->argument_count; i++)
        if (page->def.kernel->arguments[i].access != HED_READ)
            written += page->def.arguments[i].bytes;
    if (hed_web_page(page->web).floor_seconds > SLOW_FLOOR)
        limit = (uint32_t)fmin(BUILDERS, 1 + (double)most_bytes / (double)written);
    batch[count++] = requested;
    for (uint32_t i = 0; i < MOST_AHEAD && count < limit; i++) {
        candidate *c = &page->prebuilds[i];
        if (c->state == READY && !c->ran && c != requested && !c->trial.outcome) batch[count++] = c;
    }
    return count;
}

static hed_status page_run(page_runner *page, candidate *requested, bool *stopped, hed_error *error)
{
    candidate *batch[HED_WEB_BATCH];
    uint32_t samples[HED_WEB_BATCH] = {0}, count = choose_batch(page, requested, batch);
    hed_page_answer answer;
    for (uint32_t i = 0; i < count; i++) samples[i] = FIRST_SAMPLES;
    if (page_ask(page, "run", batch, count, samples, page_allowance(page, count), &answer, stopped,
            error) ||
        *stopped)
        return error->status;
    /* the candidate at fault is unknown: repeat with one */
    if (answer.lost && !page->runner.lost && count > 1) {
        if (page_ask(page, "run", batch, count = 1, samples, page_allowance(page, 1), &answer,
                stopped, error) ||
            *stopped)
            return error->status;
    }
    /* the fault remains unknown */
    if (page->runner.lost && count > 1) {
        answer.trials[0].outcome = HED_OUTCOME_LAUNCH;
        count = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        page_keep_samples(page, batch[i], &answer.trials[i]);
        batch[i]->ran = true;
    }
    return HED_OK;
}

static hed_status page_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    page_runner *page = page_of(runner);
    candidate *prebuilt = find_ahead(page, config),
              fresh_candidate = {.config = *config, .state = READY};
    candidate *c = prebuilt ? prebuilt : &fresh_candidate;
    bool stopped = false;
    *trial = page_new_trial();
    page->slots[slot].state = EMPTY;
    if (!page_is_valid(page, config, trial->text, sizeof trial->text)) {
        trial->outcome = HED_OUTCOME_INVALID;
    } else if (!c->ran && page_run(page, c, &stopped, error)) {
        return error->status;
    } else if (stopped) {
        trial->outcome = HED_OUTCOME_DROPPED;
    } else {
        *trial = page_trial_of(&c->trial);
        page->slots[slot] = *c;
        page->slots[slot].state = trial->outcome ? EMPTY : READY;
    }
    if (prebuilt) prebuilt->state = EMPTY;
    return HED_OK;
}

/* Discards the stored samples of other slots: they are outdated once another candidate is
 * measured. */
static void page_forget_samples(page_runner *page, const candidate *but)
{
    for (uint32_t i = 0; i < HED_RUNNER_SLOTS; i++)
        if (&page->slots[i] != but) page->slots[i].returned_count = page->slots[i].trial.count;
}

/* Requests more samples of several slots at once. */
static hed_status page_sample(page_runner *page, candidate *const *slots, const uint32_t *runs,
    uint32_t count, bool *stopped, hed_error *error)
{
    hed_page_answer answer;
    if (page_ask(page, "time", slots, count, runs, page_allowance(page, count), &answer, stopped,
            error) ||
        *stopped)
        return error->status;
    for (uint32_t i = 0; i < count; i++) page_keep_samples(page, slots[i], &answer.trials[i]);
    return HED_OK;
}

static hed_status page_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    page_runner *page = page_of(runner);
    candidate *c = &page->slots[slot];
    *trial = page_new_trial();
    if (c->state != READY)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: slot %u holds no candidate",
            page->def.kernel->name, slot);
    for (uint32_t done = 0; done < runs;) {
        bool stopped = false;
        uint32_t count = runs - done < HED_WEB_SAMPLES ? runs - done : HED_WEB_SAMPLES;
        if (c->returned_count == c->trial.count) {
            page_forget_samples(page, NULL);
            if (page_sample(page, &c, &count, 1, &stopped, error)) return error->status;
        }
        *trial = page_trial_of(&c->trial);
        if (stopped) trial->outcome = HED_OUTCOME_DROPPED;
        if (!trial->outcome && c->returned_count == c->trial.count)
            return hed_fail(error, HED_ERROR_IO, "the page has given no times");
        if (trial->outcome) break;
        while (done < runs && c->returned_count < c->trial.count)
            values[done++] = c->trial.samples[c->returned_count++];
    }
    return HED_OK;
}

static hed_status page_announce(hed_runner *runner, const uint32_t *slots, const uint32_t *runs,
    uint32_t count, hed_error *error)
{
    page_runner *page = page_of(runner);
    candidate *requests[HED_WEB_BATCH];
    bool stopped;
    page_forget_samples(page, NULL);
    if (count > HED_WEB_BATCH) return HED_OK;
    for (uint32_t i = 0; i < count; i++) {
        requests[i] = &page->slots[slots[i]];
        if (requests[i]->state != READY || runs[i] > HED_WEB_SAMPLES) return HED_OK;
    }
    return page_sample(page, requests, runs, count, &stopped, error);
}

/* Sends one request for a candidate's output; `*done`: all of `data` has come. */
static page_event page_ask_output(page_runner *page, const candidate *c, uint32_t argument,
    uint32_t pattern, void *data, hed_page_answer *answer, bool *done, hed_error *error)
{
    hed_web *web = page->web;
    uint64_t id = ++page->next_id;
    pthread_mutex_lock(&web->lock);
    web->output = data;
    web->output_bytes = page->def.arguments[argument].bytes;
    web->output_done = false;
    pthread_mutex_unlock(&web->lock);
    page_send(page,
        json_pack("{ss sI sI sI s[o]}", "do", "output", "id", (json_int_t)id, "argument",
            (json_int_t)argument, "pattern", (json_int_t)pattern, "candidates",
            hed_job_candidate(&page->def, page->shader, &c->config, 0)),
        error);
    page_event event = hed_failed(error)
                           ? PAGE_GONE
                           : page_await(page, id, page_allowance(page, 1), answer, error);
    pthread_mutex_lock(&web->lock);
    *done = web->output_done;
    web->output = NULL;
    web->output_bytes = 0;
    pthread_mutex_unlock(&web->lock);
    return event;
}

/* If the page disappears meanwhile, the next page gets the request. */
static hed_status page_output(hed_runner *runner, uint32_t slot, uint32_t argument,
    uint32_t pattern, void *data, hed_trial *trial, hed_error *error)
{
    page_runner *page = page_of(runner);
    hed_page_answer answer;
    page_event event = PAGE_GONE;
    bool done = false;
    *trial = page_new_trial();
    for (uint32_t tries = 0; tries < 2 && event == PAGE_GONE; tries++) {
        if (page_ensure(page, error)) return error->status;
        event = page_ask_output(
            page, &page->slots[slot], argument, pattern, data, &answer, &done, error);
        if (hed_failed(error)) return error->status;
    }
    if (event == STOPPED) trial->outcome = HED_OUTCOME_DROPPED;
    else if (event != ANSWERED || !answer.count || (!answer.trials[0].outcome && !done))
        return hed_fail(error, HED_ERROR_LOST, "the page has not given the result of %s",
            page->def.kernel->name);
    else *trial = page_trial_of(&answer.trials[0]);
    return HED_OK;
}

/* ---- creating and destroying ---- */

static void page_destroy(hed_runner *runner)
{
    page_runner *page = page_of(runner);
    hed_web *web = page->web;
    pthread_mutex_lock(&web->lock);
    memset(web->contents, 0, sizeof web->contents);
    pthread_mutex_unlock(&web->lock);
    hed_web_forget(web);
    hed_wgsl_free(page->shader);
    hed_allocator allocator = web->allocator;
    hed_delete(&allocator, page, 1, sizeof *page);
}

static const hed_runner_kind PAGE = {.destroy = page_destroy,
    .build_ahead = page_build_ahead,
    .built = page_built,
    .prepare = page_prepare,
    .time = page_time,
    .output = page_output,
    .announce = page_announce};

/* Checks that every buffer of the text is an argument, and every argument a buffer or a number of a
 * uniform. */
static hed_status page_match(const page_runner *page, hed_error *error)
{
    const hed_kernel_def *kernel = page->def.kernel;
    const hed_wgsl *shader = page->shader;
    for (uint32_t i = 0; i < shader->binding_count && !hed_failed(error); i++) {
        uint32_t index = hed_job_argument(kernel, shader->bindings[i].name);
        bool buffer = index < kernel->argument_count && kernel->arguments[index].kind == HED_BUFFER;
        const hed_wgsl_binding *binding = &shader->bindings[i];
        bool is_sampler = binding->resource == HED_WGSL_SAMPLER ||
                          binding->resource == HED_WGSL_COMPARISON_SAMPLER;
        if (is_sampler) continue;
        if (!shader->bindings[i].uniform && !buffer)
            hed_fail(error, HED_ERROR_ARGUMENT, "%s: buffer \"%s\" of the text is no argument",
                kernel->name, shader->bindings[i].name);
        else if (!shader->bindings[i].uniform && hed_type_bytes(kernel->arguments[index].type) > 4)
            hed_fail(error, HED_ERROR_UNSUPPORTED, "%s: \"%s\" has elements of 8 bytes",
                kernel->name, shader->bindings[i].name);
        else if (shader->bindings[i].bytes > HED_MAX_STRUCT_BYTES - 16 &&
                 shader->bindings[i].uniform && !buffer)
            hed_fail(error, HED_ERROR_LIMIT, "%s: uniform \"%s\" has %u bytes", kernel->name,
                shader->bindings[i].name, shader->bindings[i].bytes);
    }
    return error->status;
}

static hed_status page_check(const hed_runner_def *def, hed_error *error)
{
    if (def->objective != HED_OBJECTIVE_TIME)
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "a browser has no counter of energy");
    if (def->cold_cache)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "a browser does not tell how large its device's cache is: runs are warm");
    if (def->kernel->language != HED_WGSL || !def->kernel->source_count)
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "%s has no text in WGSL", def->kernel->name);
    return HED_OK;
}

/* Checks limits for every configuration, which a browser would report in its own words. */
static hed_status page_check_limits(
    const hed_wgsl *shader, const hed_page *description, const char *name, hed_error *error)
{
    uint32_t storage = 0, uniforms = 0;
    for (uint32_t i = 0; i < shader->binding_count; i++) {
        const hed_wgsl_binding *binding = &shader->bindings[i];
        storage += !binding->uniform && !binding->resource;
        uniforms += binding->uniform;
        if (binding->group >= description->max_bind_groups)
            return hed_fail(error, HED_ERROR_LIMIT,
                "%s:%u: \"%s\" is in @group(%u): this browser has %u groups, from 0 on", name,
                binding->line, binding->name, binding->group, description->max_bind_groups);
    }
    if (storage <= description->max_storage_buffers && uniforms <= description->max_uniform_buffers)
        return HED_OK;
    return hed_fail(error, HED_ERROR_LIMIT,
        "%s: %u storage buffers and %u uniforms: this browser takes %u and %u in one shader", name,
        storage, uniforms, description->max_storage_buffers, description->max_uniform_buffers);
}

hed_status hed_web_open_runner(
    void *web, const hed_runner_def *def, hed_runner **runner, hed_error *error)
{
    HED_REQUIRE(web, def, runner);
    hed_web *server = web;
    *runner = NULL;
    if (page_check(def, error)) return error->status;
    page_runner *page = hed_new(&server->allocator, 1, sizeof *page, error);
    if (!page) return error->status;
    const hed_source *source = &def->kernel->sources[def->kernel->source_count - 1];
    const hed_page description = hed_web_page(server);
    page->runner =
        (hed_runner){.kind = &PAGE, .builders = BUILDERS, .device_time = description.stamps};
    page->web = server;
    page->def = *def;
    page->best = INFINITY;
    hed_web_forget(server);
    pthread_mutex_lock(&server->lock);
    for (uint32_t i = 0; i < def->kernel->argument_count; i++)
        server->contents[i] = (hed_web_content){.bytes = {[HED_WEB_FIRST] = def->arguments[i].data,
                                                    [HED_WEB_EXPECTED] = def->arguments[i].expected,
                                                    [HED_WEB_MARKS] = def->arguments[i].marks},
            .sizes = {[HED_WEB_FIRST] = def->arguments[i].bytes,
                [HED_WEB_EXPECTED] = hed_runner_expected_bytes(&def->arguments[i]),
                [HED_WEB_MARKS] =
                    hed_runner_mark_bytes(&def->kernel->arguments[i], &def->arguments[i])}};
    pthread_mutex_unlock(&server->lock);
    if (!hed_wgsl_read(source->name, source->text,
            source->size ? source->size : strlen(source->text), def->kernel->entry, &page->shader,
            error)) {
        hed_wgsl_name_sizes(page->shader, error);
    }
    if (!hed_failed(error) && !page_check_limits(page->shader, &description, source->name, error) &&
        !page_match(page, error))
        page_ensure(page, error);
    if (hed_failed(error)) page_destroy(&page->runner);
    else *runner = &page->runner;
    return error->status;
}

/* ---- the view ---- */

void hed_web_show(hed_web *web, const hed_kernel_def *kernel, const hed_tune_progress *progress)
{
    if (!web || !kernel || !progress) return;
    hed_error ignored = {0};
    json_t *message = json_pack("{ss ss ss sI sI sI sf sf}", "do", "show", "kernel", kernel->name,
        "stage", progress->stage ? progress->stage : "", "done", (json_int_t)progress->done,
        "failed", (json_int_t)progress->failed, "total", (json_int_t)progress->total, "seconds",
        progress->seconds, "fallback",
        isfinite(progress->default_seconds) ? progress->default_seconds : 0);
    const hed_evaluation *rows[] = {progress->last, progress->best};
    static const char *const names[] = {"last", "best"};
    json_t *parameters = json_array();
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        json_array_append_new(parameters, json_string(kernel->parameters[i].name));
    if (message) json_object_set_new(message, "parameters", parameters);
    else json_decref(parameters);
    for (int i = 0; message && i < 2; i++) {
        if (!rows[i]) continue;
        json_t *values = json_array();
        for (uint32_t j = 0; j < rows[i]->config.count; j++)
            json_array_append_new(values, json_integer((json_int_t)rows[i]->config.values[j]));
        json_object_set_new(message, names[i],
            json_pack("{so ss sf ss}", "values", values, "outcome",
                hed_outcome_name(rows[i]->outcome), "seconds",
                isfinite(rows[i]->seconds) ? rows[i]->seconds : 0.0, "text", rows[i]->text));
    }
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    if (text && hed_web_session(web)) hed_web_send(web, text, strlen(text), &ignored);
    free(text);
    json_decref(message);
}
