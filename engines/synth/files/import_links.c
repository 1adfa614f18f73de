/* Import of links: springs, exciters and microphones on bodies, modulation, delay lines. The two
 * ends of a link are in either order. */
#include "files/import_ank.h"
#include "model/synth_model.h"

#include <inttypes.h>
#include <stdlib.h>

/* Adds a spring; its ends keep their order. */
static hed_status import_add_spring(
    synth_import *im, const synth_ank_link *link, synth_imported *imported)
{
    const synth_imported *a = synth_imported_find(im, link->ends.a),
                         *b = synth_imported_find(im, link->ends.b);
    if (!a || !b || !a->copies || !b->copies || link->ends.a.kind != ANK_BODY ||
        link->ends.b.kind != ANK_BODY) {
        synth_import_leave_out(im, "link %d: a spring that is not between two bodies", link->id);
        return HED_OK;
    }
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    def.as.spring = (hed_synth_spring_def){
        a->first, b->first, link->spring.stiffness, link->spring.neutral_length, 0, 0};
    if (def.as.spring.rest_length < 0.0f) {
        synth_import_tell(im, "spring%d: a neutral length of %g counts as 0", link->id,
            (double)link->spring.neutral_length);
        def.as.spring.rest_length = 0.0f;
    }
    return synth_import_add(im, imported, &def, NULL, 1);
}

static hed_status import_join(
    synth_import *im, const synth_ank_link *link, hed_synth_entity from, hed_synth_entity to)
{
    hed_error error = {0};
    if (im->instrument->link_count > SYNTH_WIRE_MOST)
        return hed_fail(
            im->error, HED_ERROR_LIMIT, "%s: more than %d links", im->name, SYNTH_WIRE_MOST);
    hed_status status = hed_synth_instrument_link(im->instrument, from, to, 1.0f, &error);
    if (status != HED_ERROR_ARGUMENT)
        return status ? hed_fail(im->error, status, "%s: %s", im->name, error.text) : HED_OK;
    synth_import_leave_out(im, "link %d: %s", link->id, error.text);
    return HED_OK;
}

/* Links an exciter or a sensor to a body. */
static hed_status add_contact(synth_import *im, const synth_ank_link *link, synth_ank_kind kind)
{
    bool first = link->ends.a.kind == (int32_t)kind;
    const synth_ank_id at = first ? link->ends.a : link->ends.b,
                       target = first ? link->ends.b : link->ends.a;
    const synth_imported *from = synth_imported_find(im, at), *to = synth_imported_find(im, target);
    if (kind == ANK_SENSOR && target.kind == ANK_MODULATOR)
        return HED_OK; /* a follower: already linked to its sensor */
    if (!from || !to || at.kind != (int32_t)kind || target.kind != ANK_BODY || !to->copies) {
        synth_import_leave_out(
            im, "link %d: it does not join an exciter or a sensor with a body", link->id);
        return HED_OK;
    }
    hed_status status = HED_OK;
    for (uint32_t i = 0; !status && i < from->copies; i++)
        status = import_join(im, link, from->first + i, to->first);
    return status;
}

/* Adds a delay line from a sensor to an audio exciter; each delay line takes the exciter's next
 * copy. */
static hed_status add_delay(synth_import *im, const synth_ank_link *link, synth_imported *imported)
{
    bool first = link->ends.a.kind == ANK_SENSOR;
    const synth_ank_id at = first ? link->ends.a : link->ends.b,
                       target = first ? link->ends.b : link->ends.a;
    const synth_imported *source = synth_imported_find(im, at);
    synth_imported *input = synth_imported_find(im, target);
    if (!source || !source->copies || at.kind != ANK_SENSOR || !input ||
        target.kind != ANK_EXCITER || input->used >= input->copies) {
        synth_import_leave_out(
            im, "link %d: a delay line that is not from a sensor to an audio exciter", link->id);
        return HED_OK;
    }
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_DELAY_LINE);
    def.as.delay_line =
        (hed_synth_delay_line_def){.source = source->first, .seconds = link->delay.seconds};
    hed_status status = synth_import_add(im, imported, &def, NULL, 1);
    if (!status && imported->copies)
        status = import_join(im, link, input->first + input->used++, imported->first);
    return status;
}

/* Converts a link's depth. Gains of exciters are in decibels there, in newtons here: adding
 * decibels becomes multiplying. */
static hed_synth_modulation_def modulation_of(
    synth_import *im, const synth_ank_link *link, hed_synth_entity target, bool first)
{
    hed_synth_modulation_def def = {.entity = target,
        .target = (hed_synth_target)link->modulator.operand,
        .depth = link->modulator.depth,
        .invert = link->modulator.invert};
    def.mode = link->modulator.exponential ? HED_SYNTH_MODULATE_EXPONENTIAL
               : link->modulator.multiply  ? HED_SYNTH_MODULATE_MULTIPLY
                                           : HED_SYNTH_MODULATE_ADD;
    const synth_place *place = synth_find(im->instrument, target);
    bool newtons = place &&
                   (place->type == HED_SYNTH_OSCILLATOR || place->type == HED_SYNTH_AUDIO_INPUT) &&
                   def.target == HED_SYNTH_TARGET_GAIN;
    if (newtons && def.mode == HED_SYNTH_MODULATE_ADD) {
        def.mode = HED_SYNTH_MODULATE_EXPONENTIAL;
        def.depth /= 6.0206f;
        if (first)
            synth_import_tell(im, "link %d: depth %g dB -> %g octaves of amplitude", link->id,
                (double)link->modulator.depth, (double)def.depth);
    }
    return def;
}

static hed_status import_modulate(synth_import *im, const synth_ank_link *link,
    const synth_imported *source, const synth_imported *target)
{
    for (uint32_t t = 0; t < target->copies; t++)
        for (uint32_t s = 0; s < source->copies; s++) {
            hed_error error = {0};
            hed_synth_modulation_def def = modulation_of(im, link, target->first + t, t + s == 0);
            def.source = source->first + s;
            hed_status status = hed_synth_instrument_modulate(im->instrument, &def, &error);
            if (status == HED_ERROR_ARGUMENT) {
                synth_import_leave_out(im, "link %d: %s", link->id, error.text);
                return HED_OK;
            }
            if (status) return hed_fail(im->error, status, "%s: %s", im->name, error.text);
            if (im->instrument->modulation_count > SYNTH_WIRE_MOST)
                return hed_fail(im->error, HED_ERROR_LIMIT, "%s: more than %d modulations",
                    im->name, SYNTH_WIRE_MOST);
        }
    return HED_OK;
}

static hed_status add_modulation(synth_import *im, const synth_ank_link *link)
{
    bool first = link->ends.a.kind == ANK_MODULATOR;
    const synth_ank_id at = first ? link->ends.a : link->ends.b,
                       target_id = first ? link->ends.b : link->ends.a;
    const synth_imported *source = synth_imported_find(im, at),
                         *target = synth_imported_find(im, target_id);
    if (!source || !target || at.kind != ANK_MODULATOR) {
        synth_import_leave_out(
            im, "link %d: it modulates nothing that there is a counterpart of", link->id);
        return HED_OK;
    }
    /* operands have the numbers of HED_SYNTH_TARGET_... */
    _Static_assert(HED_SYNTH_TARGET_MASS == 0 && HED_SYNTH_TARGET_REST_LENGTH == 7 &&
                       HED_SYNTH_TARGET_GAIN == 11 && HED_SYNTH_TARGET_ROTATION == 20 &&
                       HED_SYNTH_TARGET_ISOTROPY == 25 && HED_SYNTH_TARGET_COUNT == 26,
        "operands of the schema");
    if (link->modulator.operand < 0 || link->modulator.operand >= HED_SYNTH_TARGET_COUNT) {
        synth_import_leave_out(
            im, "link %d: operand %d is not known", link->id, link->modulator.operand);
        return HED_OK;
    }
    return import_modulate(im, link, source, target);
}

/* Imports springs before modulation: a modulation may target a spring that comes later in the
 * list. */
hed_status synth_import_links(synth_import *im)
{
    if (hed_failed(im->error)) return im->error->status;
    const synth_ank_link *links = im->model->links.items;
    hed_status status = HED_OK;
    for (uint32_t i = 0; !status && i < im->counts[ANK_LINK]; i++) {
        synth_imported *imported = &im->imported[ANK_LINK][i];
        const synth_ank_link *link = &links[imported->place];
        if (link->what == ANK_LINK_SPRING) status = import_add_spring(im, link, imported);
        if (link->what == ANK_LINK_DELAY) status = add_delay(im, link, imported);
    }
    for (uint32_t i = 0; !status && i < im->model->links.count; i++) {
        const synth_ank_link *link = &links[i];
        switch (link->what) {
        case ANK_LINK_SPRING:
        case ANK_LINK_DELAY: break;
        case ANK_LINK_EXCITER: status = add_contact(im, link, ANK_EXCITER); break;
        case ANK_LINK_SENSOR: status = add_contact(im, link, ANK_SENSOR); break;
        case ANK_LINK_MODULATOR: status = add_modulation(im, link); break;
        default:
            synth_import_leave_out(im, "link %d: of a kind that is not known", link->id);
            break;
        }
    }
    return status;
}

/* MIDI routes of a preset: notes and controllers that reach an exciter or modulator. Consecutive
 * notes become one range. */

static int by_id(const void *a, const void *b)
{
    const synth_ank_target *x = a, *y = b;
    if (x->id.kind != y->id.kind) return x->id.kind < y->id.kind ? -1 : 1;
    if (x->id.number != y->id.number) return x->id.number < y->id.number ? -1 : 1;
    return x->route < y->route ? -1 : x->route > y->route;
}

static void add_targets(synth_import *im, const synth_wire_list *list, uint32_t route)
{
    const synth_ank_id *ids = list->items;
    for (uint32_t i = 0; i < list->count; i++)
        im->targets[im->target_count++] = (synth_ank_target){ids[i], route};
}

hed_status synth_import_sort_routes(synth_import *im)
{
    if (hed_failed(im->error)) return im->error->status;
    const synth_wire_list *routes = &im->model->routes, *hosts = &im->model->hosts;
    const synth_ank_route *route = routes->items;
    const synth_ank_host *host = hosts->items;
    uint64_t count = 0;
    for (uint32_t i = 0; i < routes->count; i++) count += route[i].targets.count;
    for (uint32_t i = 0; i < hosts->count; i++) count += host[i].targets.count;
    im->targets = count <= UINT32_MAX ? malloc((count ? count : 1) * sizeof *im->targets) : NULL;
    if (!im->targets)
        return hed_fail(im->error, HED_ERROR_MEMORY,
            "%s: no memory for %" PRIu64 " targets of routes", im->name, count);
    for (uint32_t i = 0; i < routes->count; i++) add_targets(im, &route[i].targets, i);
    for (uint32_t i = 0; i < hosts->count; i++)
        add_targets(im, &host[i].targets, routes->count + i);
    if (count) qsort(im->targets, im->target_count, sizeof *im->targets, by_id);
    return HED_OK;
}

/* Finds the first target that is not less than (id, route). */
static uint32_t first_target(const synth_import *im, synth_ank_id id, uint32_t route)
{
    const synth_ank_target key = {id, route};
    uint32_t low = 0, high = im->target_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_id(&im->targets[middle], &key) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Channel 1 to 16; 0 for any channel, and for invalid ones. */
static uint8_t channel_of(const synth_ank_event *event)
{
    return event->channel >= 1 && event->channel <= 16 ? (uint8_t)event->channel : 0;
}

uint32_t synth_import_routes(
    synth_import *im, synth_ank_id id, hed_synth_route routes[SYNTH_MOST_ROUTES])
{
    static const hed_synth_route every_note = {0, 0, 127};
    uint8_t heard[17][128] = {{0}};
    bool any = false;
    const synth_ank_route *items = im->model->routes.items;
    uint32_t end = first_target(im, id, im->model->routes.count);
    for (uint32_t t = first_target(im, id, 0); t < end; t++) {
        const synth_ank_event *event = &items[im->targets[t].route].event;
        if (event->what == ANK_EVENT_CONTROLLER) continue;
        bool is_note = event->what == ANK_EVENT_NOTE && event->number >= 0 && event->number <= 127;
        for (int32_t note = is_note ? event->number : 0; note <= (is_note ? event->number : 127);
             note++)
            heard[channel_of(event)][note] = 1;
        any = true;
    }
    uint32_t count = 0;
    for (uint32_t channel = 0; channel <= 16; channel++) {
        for (uint32_t note = 0; channel && note < 128; note++)
            heard[channel][note] &= !heard[0][note];
        for (uint32_t note = 0; note < 128; note++) {
            if (!heard[channel][note]) continue;
            uint32_t first = note;
            while (note < 127 && heard[channel][note + 1]) note++;
            if (count++ < SYNTH_MOST_ROUTES)
                routes[count - 1] =
                    (hed_synth_route){(uint8_t)channel, (uint8_t)first, (uint8_t)note};
        }
    }
    if (count > SYNTH_MOST_ROUTES) {
        synth_import_tell(im, "%s %d: %u ranges of notes are routed to it: the first %d are heard",
            id.kind == ANK_EXCITER ? "exciter" : "modulator", id.number, count, SYNTH_MOST_ROUTES);
        count = SYNTH_MOST_ROUTES;
    }
    if (any || im->model->mode == HED_SYNTH_SINGLETON) return count;
    routes[0] = every_note; /* a voice receives its note without a route too */
    return 1;
}

bool synth_import_controller(
    synth_import *im, synth_ank_id id, uint32_t *number, hed_synth_route *route)
{
    bool found = false;
    const synth_ank_route *items = im->model->routes.items;
    uint32_t end = first_target(im, id, im->model->routes.count);
    for (uint32_t t = first_target(im, id, 0); t < end; t++) {
        const synth_ank_event *event = &items[im->targets[t].route].event;
        if (event->what != ANK_EVENT_CONTROLLER || event->number < 0 || event->number > 119)
            continue;
        if (found) {
            synth_import_tell(im,
                "modulator %d: controller %d is routed to it, too: only %u is heard", id.number,
                event->number, *number);
            continue;
        }
        *number = (uint32_t)event->number;
        *route = (hed_synth_route){channel_of(event), 0, 127};
        found = true;
    }
    return found;
}

bool synth_import_host(const synth_import *im, synth_ank_id id, uint32_t *number)
{
    const synth_ank_host *items = im->model->hosts.items;
    uint32_t routes = im->model->routes.count, t = first_target(im, id, routes),
             end = first_target(im, id, UINT32_MAX);
    if (t == end || items[im->targets[t].route - routes].id < 0) return false;
    *number = (uint32_t)items[im->targets[t].route - routes].id;
    return true;
}
