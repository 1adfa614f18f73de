/* Times of the parts of a match on a device: by its events, and on the host from the launch to the
 * end of waiting. */
#include "heddle/stats.h"
#include "solver/device_match.h"

enum { MEASURE_WARM = 5 };

typedef struct measure {
    css_device *device;
    hed_stream *stream;
    hed_event *from, *to; /* timed */
    double *seconds;      /* (repeats) */
    uint32_t repeats;
} measure;

/* The median time of steps, by events or on the host. */
static double measure_steps(measure *m, unsigned steps, bool by_events, hed_error *error)
{
    for (uint32_t i = 0; i < MEASURE_WARM + m->repeats && !hed_failed(error); i++) {
        double seconds = 0;
        hed_stream_wait(m->stream, error);
        uint64_t begin = hed_now();
        if (by_events) hed_event_record(m->from, m->stream, error);
        css_device_replay(m->device, steps, error);
        if (by_events) hed_event_record(m->to, m->stream, error);
        hed_stream_wait(m->stream, error);
        uint64_t end = hed_now();
        if (by_events && !hed_failed(error)) hed_event_elapsed(m->from, m->to, &seconds, error);
        else seconds = 1e-9 * (double)(end - begin);
        if (i >= MEASURE_WARM) m->seconds[i - MEASURE_WARM] = seconds;
    }
    return hed_failed(error) ? 0 : hed_summarize(m->seconds, m->repeats).p50;
}

/* The medians of single launches. */
static void measure_launches(measure *m, hed_css_times *times, hed_error *error)
{
    enum { MARKS = HED_CSS_MOST_KERNELS + 1 };
    hed_event *marks[MARKS] = {0};
    const char *names[MARKS];
    hed_arena work = {.owner = "a measurement"};
    double *seconds = hed_arena_new(&work, (uint64_t)m->repeats * MARKS, sizeof *seconds, error);
    uint32_t count = 0;
    for (int i = 0; i < MARKS; i++)
        hed_event_create(hed_stream_device(m->stream), true, &marks[i], error);
    for (uint32_t i = 0; i < MEASURE_WARM + m->repeats && !hed_failed(error); i++) {
        count = css_device_marked(m->device, marks, names, MARKS, error);
        hed_stream_wait(m->stream, error);
        for (uint32_t k = 1; k < count && i >= MEASURE_WARM && !hed_failed(error); k++)
            hed_event_elapsed(
                marks[k - 1], marks[k], &seconds[(size_t)k * m->repeats + i - MEASURE_WARM], error);
    }
    for (uint32_t k = 1; k < count && !hed_failed(error); k++) {
        times->kernels[k - 1].name = names[k];
        times->kernels[k - 1].seconds =
            hed_summarize(seconds + (size_t)k * m->repeats, m->repeats).p50;
        times->kernel_count = k;
    }
    for (int i = 0; i < MARKS; i++) hed_event_destroy(marks[i]);
    hed_arena_free(&work);
}

hed_status css_device_measure(
    css_device *device, uint32_t repeats, hed_css_times *times, hed_error *error)
{
    hed_stream *stream = css_device_stream(device);
    hed_arena work = {.owner = "a measurement"};
    measure m = {.device = device, .stream = stream, .repeats = repeats ? repeats : 1};
    m.seconds = hed_arena_new(&work, m.repeats, sizeof *m.seconds, error);
    hed_event_create(hed_stream_device(stream), true, &m.from, error);
    hed_event_create(hed_stream_device(stream), true, &m.to, error);
    const struct {
        double *seconds;
        unsigned steps;
        bool by_events;
    } parts[] = {{&times->bind, CSS_REPLAY_BIND, true}, {&times->pass, CSS_REPLAY_PASS, true},
        {&times->pass_launched, CSS_REPLAY_PASS, false},
        {&times->both_launched, CSS_REPLAY_BIND | CSS_REPLAY_PASS, false},
        {&times->down_launched, CSS_REPLAY_PASS | CSS_REPLAY_CLASSES, false},
        {&times->cold, CSS_REPLAY_UPLOAD | CSS_REPLAY_PASS | CSS_REPLAY_CLASSES, false},
        {&times->cold_bound,
            CSS_REPLAY_UPLOAD | CSS_REPLAY_BIND | CSS_REPLAY_PASS | CSS_REPLAY_CLASSES, false}};
    for (size_t i = 0; i < HED_COUNT(parts) && !hed_failed(error); i++)
        *parts[i].seconds = measure_steps(&m, parts[i].steps, parts[i].by_events, error);
    measure_launches(&m, times, error);
    times->element_bytes = css_device_bytes(device);
    hed_event_destroy(m.from);
    hed_event_destroy(m.to);
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}
