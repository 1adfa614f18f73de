/* Solver group as a kernel that stays: blocks go through its mailbox, the stores stay in local
 * memory. While it runs nothing that makes the driver wait for the device may be done
 * (heddle/resident.h): so everything is made before it starts. */
#include "solver/group/group.h"

enum { STEP_TIMEOUT_NS = 1000000000, ANSWER_TIMEOUT_NS = 2000000000 };

uint32_t synth_resident_words(const synth_program *program)
{
    return (uint32_t)(sizeof(synth_request_head) / 4) + program->instances + 1 +
           SYNTH_POKE_WORDS * SYNTH_RESIDENT_POKES;
}

static hed_status start(
    synth_solver *s, const hed_kernel_def *def, const hed_config *config, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    hed_problem problem = synth_group_problem(s->program, s->block, s->request_words);
    hed_argument arguments[SYNTH_RESIDENT_ARGUMENTS] = {
        [SYNTH_RESIDENT_STORES] = hed_buffer_argument(s->stores),
        [SYNTH_RESIDENT_DELAYS] = hed_buffer_argument(s->delays),
        [SYNTH_RESIDENT_IMAGE] = hed_buffer_argument(s->image),
        [SYNTH_RESIDENT_GIVEN] = hed_buffer_argument(s->given),
        [SYNTH_RESIDENT_INPUTS] = hed_buffer_argument(s->inputs),
        [SYNTH_RESIDENT_STEMS] = hed_buffer_argument(s->stems),
        [SYNTH_RESIDENT_LAYOUT] = hed_struct_argument(layout, sizeof *layout),
        [SYNTH_RESIDENT_REQUEST_WORDS] = hed_uint_argument(s->request_words),
        [SYNTH_RESIDENT_INPUT_WORDS] = hed_uint_argument(s->channels * s->block),
        [SYNTH_RESIDENT_LOCAL] = hed_local_argument(),
    };
    hed_resident_def resident = hed_default_resident_def();
    def->geometry(def, config, &problem, &resident.geometry);
    resident.kernel = s->kernel;
    resident.arguments = arguments + SYNTH_RESIDENT_STORES;
    resident.argument_count = SYNTH_RESIDENT_ARGUMENTS - SYNTH_RESIDENT_STORES;
    resident.request_bytes = 4 * s->request_words;
    resident.reply_bytes = 4;
    resident.step_timeout_ns = STEP_TIMEOUT_NS;
    return hed_resident_start(s->own, &resident, &s->resident, error);
}

hed_status synth_resident_create(
    synth_solver *s, const hed_kernel_def *def, const hed_config *config, hed_error *error)
{
    uint64_t words = s->program->layout.words, all = words + s->program->layout.delay_words;
    hed_stream_def stream = hed_default_stream_def();
    s->request_words = synth_resident_words(s->program);
    s->request = synth_new(&s->allocator, s->request_words, sizeof *s->request);
    if (!s->request)
        return synth_fail(
            error, HED_ERROR_MEMORY, "no memory for a request of %u words", s->request_words);
    hed_status status = hed_stream_create(s->device, &stream, &s->own, error);
    if (!status) status = synth_group_buffer(s, HED_MEMORY_DEVICE, words, &s->image, error);
    if (!status)
        status = synth_group_buffer(
            s, HED_MEMORY_MAPPED, (uint64_t)s->channels * s->block, &s->given, error);
    if (!status)
        status = synth_group_buffer(
            s, HED_MEMORY_PINNED, s->program->instances * all, &s->transfer, error);
    if (!status) status = hed_write(s->own, s->image, 0, s->program->image, 4 * words, error);
    if (!status) status = hed_stream_wait(s->own, error);
    return status ? status : start(s, def, config, error);
}

void synth_resident_destroy(synth_solver *s)
{
    hed_resident_destroy(s->resident);
    hed_buffer_destroy(s->image);
    hed_buffer_destroy(s->given);
    hed_buffer_destroy(s->transfer);
    hed_stream_destroy(s->own);
    synth_release(&s->allocator, s->request, s->request_words, sizeof *s->request);
}

/* Posts `request` and waits for its answer, which says nothing but that it is done. */
static hed_status ask(synth_solver *s, hed_error *error)
{
    uint32_t reply;
    hed_status status = hed_resident_post(s->resident, s->request, NULL);
    if (!status) status = hed_resident_wait(s->resident, &reply, ANSWER_TIMEOUT_NS);
    if (!status) return HED_OK;
    if (status == HED_ERROR_NOT_READY) status = HED_ERROR_TIMEOUT;
    return synth_fail(
        error, status, "the resident kernel did not answer: %s", hed_status_name(status));
}

hed_status synth_resident_run(
    synth_solver *s, const synth_run *run, const synth_part *part, hed_error *error)
{
    synth_request_head head = {SYNTH_REQUEST_PLAY, part->sample, part->frames, s->channels};
    uint64_t staged = s->program->instances + 1 + (uint64_t)SYNTH_POKE_WORDS * part->pokes;
    float *given = hed_buffer_host(s->given);
    memcpy(s->request, &head, sizeof head);
    memcpy(s->request + sizeof head / 4, s->staged, staged * sizeof *s->staged);
    for (uint32_t i = 0; i < s->channels; i++) {
        if (run->inputs)
            memcpy(given + (size_t)i * part->frames, run->inputs[i] + part->first,
                part->frames * sizeof *given);
        else memset(given + (size_t)i * part->frames, 0, part->frames * sizeof *given);
    }
    return ask(s, error);
}

hed_status synth_resident_ask(synth_solver *s, uint32_t command, hed_error *error)
{
    synth_request_head head = {command, 0, 0, 0};
    memcpy(s->request, &head, sizeof head);
    return ask(s, error);
}
