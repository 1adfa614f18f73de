/* The description of an instrument: arrays of definitions by type, names, links and modulations. */
#include "model/model.h"

#include "support/errors.h"

#include <stdarg.h>
#include <stdio.h>

hed_status synth_fail(hed_error *error, hed_status status, const char *format, ...)
{
    char text[HED_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hed_error_set(error, status, "%s", text);
}

static hed_status later(hed_error *error)
{
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "not there yet");
}

const synth_place *synth_find(const hed_instrument *instrument, hed_entity entity)
{
    (void)instrument, (void)entity;
    return NULL;
}
float synth_rest_length(const hed_instrument *instrument, const hed_spring_def *spring)
{
    (void)instrument;
    return spring->rest_length;
}
double synth_largest_dilation(const hed_instrument_def *def)
{
    (void)def;
    return 1;
}
hed_instrument_def hed_default_instrument_def(void) { return (hed_instrument_def){0}; }
hed_status hed_instrument_create(const hed_allocator *allocator, const hed_instrument_def *def, hed_instrument **instrument,
                                 hed_error *error)
{
    (void)allocator, (void)def;
    *instrument = NULL;
    return later(error);
}
hed_status hed_instrument_copy(const hed_instrument *instrument, hed_instrument **copy, hed_error *error)
{
    (void)instrument;
    *copy = NULL;
    return later(error);
}
void hed_instrument_destroy(hed_instrument *instrument) { (void)instrument; }
const hed_instrument_def *hed_instrument_get_def(const hed_instrument *instrument) { return &instrument->def; }
hed_status hed_instrument_set_def(hed_instrument *instrument, const hed_instrument_def *def, hed_error *error)
{
    (void)instrument, (void)def;
    return later(error);
}
hed_status hed_instrument_add(hed_instrument *instrument, const hed_entity_def *def, const char *name, hed_entity *entity,
                              hed_error *error)
{
    (void)instrument, (void)def, (void)name;
    *entity = 0;
    return later(error);
}
hed_status hed_instrument_set(hed_instrument *instrument, hed_entity entity, const hed_entity_def *def, hed_error *error)
{
    (void)instrument, (void)entity, (void)def;
    return later(error);
}
hed_status hed_instrument_get(const hed_instrument *instrument, hed_entity entity, hed_entity_def *def, hed_error *error)
{
    (void)instrument, (void)entity, (void)def;
    return later(error);
}
hed_status hed_instrument_remove(hed_instrument *instrument, hed_entity entity, hed_error *error)
{
    (void)instrument, (void)entity;
    return later(error);
}
hed_status hed_instrument_link(hed_instrument *instrument, hed_entity from, hed_entity to, float weight, hed_error *error)
{
    (void)instrument, (void)from, (void)to, (void)weight;
    return later(error);
}
hed_status hed_instrument_modulate(hed_instrument *instrument, const hed_modulation_def *def, hed_error *error)
{
    (void)instrument, (void)def;
    return later(error);
}
uint32_t hed_instrument_count(const hed_instrument *instrument, hed_entity_type type)
{
    (void)instrument, (void)type;
    return 0;
}
hed_entity hed_instrument_at(const hed_instrument *instrument, hed_entity_type type, uint32_t index)
{
    (void)instrument, (void)type, (void)index;
    return 0;
}
hed_entity hed_instrument_find(const hed_instrument *instrument, const char *name)
{
    (void)instrument, (void)name;
    return 0;
}
const char *hed_instrument_name(const hed_instrument *instrument, hed_entity entity)
{
    (void)instrument, (void)entity;
    return "";
}
hed_grid_def hed_default_grid_def(void) { return (hed_grid_def){0}; }
hed_status hed_instrument_add_grid(hed_instrument *instrument, const hed_grid_def *def, const char *name, hed_generated *generated,
                                   hed_error *error)
{
    (void)instrument, (void)def, (void)name;
    *generated = (hed_generated){0};
    return later(error);
}
hed_status hed_instrument_stability(const hed_instrument *instrument, double rate, hed_stability *stability, hed_error *error)
{
    (void)instrument, (void)rate;
    *stability = (hed_stability){0};
    return later(error);
}
double hed_string_frequency(uint32_t masses, uint32_t mode, double ratio, double rate)
{
    (void)masses, (void)mode, (void)ratio, (void)rate;
    return 0;
}
double hed_string_ratio(uint32_t masses, double frequency, double rate)
{
    (void)masses, (void)frequency, (void)rate;
    return 0;
}
