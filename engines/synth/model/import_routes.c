/* MIDI routes of a preset: which notes, and which controller, reach an exciter or modulator. Notes
 * that follow one another are one range. */
#include "model/import_ank.h"

#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>

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
    const synth_wire_list *routes = &im->model->routes, *hosts = &im->model->hosts;
    const synth_ank_route *route = routes->items;
    const synth_ank_host *host = hosts->items;
    uint64_t count = 0;
    for (uint32_t i = 0; i < routes->count; i++) count += route[i].targets.count;
    for (uint32_t i = 0; i < hosts->count; i++) count += host[i].targets.count;
    im->targets = count <= UINT32_MAX ? malloc((count ? count : 1) * sizeof *im->targets) : NULL;
    if (!im->targets)
        return synth_fail(im->error, HED_ERROR_MEMORY,
            "%s: no memory for %" PRIu64 " targets of routes", im->name, count);
    for (uint32_t i = 0; i < routes->count; i++) add_targets(im, &route[i].targets, i);
    for (uint32_t i = 0; i < hosts->count; i++)
        add_targets(im, &host[i].targets, routes->count + i);
    if (count) qsort(im->targets, im->target_count, sizeof *im->targets, by_id);
    return HED_OK;
}

/* The first target that is not before this one. */
static uint32_t first_target(const synth_import *im, synth_ank_id id, uint32_t route)
{
    const synth_ank_target wanted = {id, route};
    uint32_t low = 0, high = im->target_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_id(&im->targets[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* 1 to 16; 0 for any, and for what is none. */
static uint8_t channel_of(const synth_ank_event *event)
{
    return event->channel >= 1 && event->channel <= 16 ? (uint8_t)event->channel : 0;
}

static void note_runs(const uint8_t heard[128], uint8_t channel, hed_synth_route *routes, uint32_t *count)
{
    for (uint32_t note = 0; note < 128; note++) {
        if (!heard[note]) continue;
        uint32_t first = note;
        while (note < 127 && heard[note + 1]) note++;
        if ((*count)++ < SYNTH_MOST_ROUTES)
            routes[*count - 1] = (hed_synth_route){channel, (uint8_t)first, (uint8_t)note};
    }
}

uint32_t synth_import_routes(synth_import *im, synth_ank_id id, hed_synth_route routes[SYNTH_MOST_ROUTES])
{
    static const hed_synth_route every_note = {0, 0, 127};
    uint8_t heard[17][128] = {{0}};
    bool any = false;
    const synth_ank_route *all = im->model->routes.items;
    uint32_t end = first_target(im, id, im->model->routes.count);
    for (uint32_t t = first_target(im, id, 0); t < end; t++) {
        const synth_ank_event *event = &all[im->targets[t].route].event;
        if (event->what == ANK_EVENT_CONTROLLER) continue;
        bool one = event->what == ANK_EVENT_NOTE && event->number >= 0 && event->number <= 127;
        for (int32_t note = one ? event->number : 0; note <= (one ? event->number : 127); note++)
            heard[channel_of(event)][note] = 1;
        any = true;
    }
    uint32_t count = 0;
    for (uint32_t channel = 0; channel <= 16; channel++) {
        for (uint32_t note = 0; channel && note < 128; note++)
            heard[channel][note] &= !heard[0][note];
        note_runs(heard[channel], (uint8_t)channel, routes, &count);
    }
    if (count > SYNTH_MOST_ROUTES) {
        synth_import_tell(im, "%s %d: %u ranges of notes are routed to it: the first %d are heard",
            id.kind == ANK_EXCITER ? "exciter" : "modulator", id.number, count, SYNTH_MOST_ROUTES);
        count = SYNTH_MOST_ROUTES;
    }
    if (any || im->model->mode == HED_SYNTH_SINGLETON) return count;
    routes[0] = every_note; /* a voice hears its note without a route, too */
    return 1;
}

bool synth_import_controller(synth_import *im, synth_ank_id id, uint32_t *number, hed_synth_route *route)
{
    bool found = false;
    const synth_ank_route *all = im->model->routes.items;
    uint32_t end = first_target(im, id, im->model->routes.count);
    for (uint32_t t = first_target(im, id, 0); t < end; t++) {
        const synth_ank_event *event = &all[im->targets[t].route].event;
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
    const synth_ank_host *all = im->model->hosts.items;
    uint32_t routes = im->model->routes.count, t = first_target(im, id, routes),
             end = first_target(im, id, UINT32_MAX);
    if (t == end || all[im->targets[t].route - routes].id < 0) return false;
    *number = (uint32_t)all[im->targets[t].route - routes].id;
    return true;
}
