/* Heat maps: for each pair of values of two parameters, the best time over all others. Colour is
 * how many times the winner's time that is, on the viridis scale (van der Walt and Smith 2015),
 * which grows evenly in lightness: it can be told apart with any colour vision and in print without
 * colours. */
#include "tunefile/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* of all maps together: what does not fit is not offered, the first map always is */
    MOST_CELLS = 2500,
    MOST_NUMBERS = 640, /* cells of a map with a number in each */
    MOST_RANKED = 6,    /* parameters, by importance, of which pairs are offered */
};

typedef struct heat_map {
    uint32_t axes[2];
    uint32_t columns, rows;
    hed_report_cell *cells; /* (rows x columns) */
    double worst;           /* where the scale ends, times the winner's */
} heat_map;

static const double MOST_WORST = 8; /* the scale's end at most */
static const unsigned char VIRIDIS[][3] = {
    {0x44, 0x01, 0x54},
    {0x47, 0x2d, 0x7b},
    {0x3b, 0x52, 0x8b},
    {0x2c, 0x72, 0x8e},
    {0x21, 0x91, 0x8c},
    {0x28, 0xae, 0x80},
    {0x5e, 0xc9, 0x62},
    {0xad, 0xdc, 0x30},
    {0xfd, 0xe7, 0x25},
};

/* `share` 0: dark, slow; 1: bright, fast. */
static void color_of(double share, unsigned color[3])
{
    enum { LAST = sizeof VIRIDIS / sizeof VIRIDIS[0] - 1 };
    double position = fmin(fmax(share, 0), 1) * LAST;
    uint32_t below = position >= LAST - 1 ? LAST - 1 : (uint32_t)position;
    for (int i = 0; i < 3; i++)
        color[i] = (unsigned)lround(
            VIRIDIS[below][i] + (position - below) * (VIRIDIS[below + 1][i] - VIRIDIS[below][i]));
}

static double ratio_of(const hed_page *page, const hed_report_cell *cell)
{
    return hed_report_value(page->result, cell->best) /
           hed_report_value(page->result, page->result->best);
}

/* ---- one map ---- */

/* Where a cell's time lies between the worst, 0, and the winner's, 1. */
static double share_of(const hed_page *page, const heat_map *map, const hed_report_cell *cell)
{
    return 1 - log(fmax(ratio_of(page, cell), 1)) / log(map->worst);
}

static void put_cell(hed_page *page, const heat_map *map, uint32_t column, uint32_t row)
{
    const hed_report_cell *cell = &map->cells[row * map->columns + column];
    double width = 100.0 / map->columns, height = 100.0 / map->rows, x = column * width,
           y = 100 - (row + 1) * height;
    fprintf(
        page->out, "<g><rect x=%.3f%% y=%.3f%% width=%.3f%% height=%.3f%% ", x, y, width, height);
    if (!cell->worked) {
        fprintf(page->out, "class=\"%s\"/>", cell->failed ? "cell failed" : "cell");
        if (cell->failed)
            fprintf(page->out,
                "<text class=\"number bad\" x=%.3f%% y=%.3f%% dy=.35em>&#215;</text><title>%u tried, none "
                "worked</title>",
                x + width / 2, y + height / 2, cell->failed);
        fputs("</g>\n", page->out);
        return;
    }
    double ratio = ratio_of(page, cell), share = share_of(page, map, cell);
    unsigned color[3];
    color_of(share, color);
    fprintf(page->out, "class=cell fill=\"#%02x%02x%02x\"/>", color[0], color[1], color[2]);
    fprintf(page->out,
        "<text class=number x=%.3f%% y=%.3f%% dy=.35em fill=\"%s\">%.2f</text><title>",
        x + width / 2, y + height / 2, share > 0.55 ? "#000" : "#fff", ratio);
    hed_page_put_config(page, &page->result->evaluations[cell->best].config);
    fputs(": ", page->out);
    hed_page_put_value(page, hed_report_value(page->result, cell->best));
    fprintf(page->out, "; best of %u%s", cell->worked, cell->failed ? "" : "</title></g>\n");
    if (cell->failed) fprintf(page->out, ", %u failed</title></g>\n", cell->failed);
}

/* A map of too many cells for numbers: squares alone, those of one colour as one path. */
static void put_squares(hed_page *page, const heat_map *map, uint32_t height)
{
    enum { COLORS = 32 };
    fprintf(page->out,
        "<svg width=100%% height=%u viewBox=\"0 0 %u %u\" preserveAspectRatio=none>\n", height,
        map->columns, map->rows);
    for (uint32_t level = 0; level < COLORS; level++) {
        unsigned color[3];
        color_of(level / (COLORS - 1.0), color);
        fprintf(page->out, "<path class=cells fill=\"#%02x%02x%02x\" d=\"", color[0], color[1],
            color[2]);
        for (uint32_t row = 0; row < map->rows; row++)
            for (uint32_t column = 0; column < map->columns; column++) {
                const hed_report_cell *cell = &map->cells[row * map->columns + column];
                if (cell->worked &&
                    lround(fmax(share_of(page, map, cell), 0) * (COLORS - 1)) == level)
                    fprintf(page->out, "M%u %uh1v1h-1z", column, map->rows - 1 - row);
            }
        fputs("\"/>\n", page->out);
    }
    fputs("</svg>\n", page->out);
}

/* Around the winner's cell, over its neighbours. */
static void put_outline(hed_page *page, const heat_map *map)
{
    double width = 100.0 / map->columns, height = 100.0 / map->rows;
    for (uint32_t row = 0; row < map->rows; row++)
        for (uint32_t column = 0; column < map->columns; column++) {
            const hed_report_cell *cell = &map->cells[row * map->columns + column];
            if (cell->worked && cell->best == page->result->best)
                fprintf(page->out,
                    "<rect class=outline x=%.3f%% y=%.3f%% width=%.3f%% height=%.3f%% />\n",
                    column * width, 100 - (row + 1) * height, width, height);
        }
}

/* Names of values along an axis; every n-th where they would run into one another. */
static void put_labels(hed_page *page, const heat_map *map, int axis, uint32_t room)
{
    const uint32_t parameter = map->axes[axis];
    uint32_t count = page->kernel->parameters[parameter].count, step = (count + room - 1) / room;
    for (uint32_t i = 0; i < count; i += step) {
        char text[24];
        hed_report_value_text(page->kernel, parameter, i, text, sizeof text);
        double middle = (i + 0.5) * 100 / count;
        if (axis == 0) fprintf(page->out, "<text class=below x=%.3f%% y=100%% dy=1.5em>", middle);
        else fprintf(page->out, "<text class=left x=0 dx=-8 y=%.3f%% dy=.35em>", 100 - middle);
        hed_page_put(page, text);
        fputs("</text>\n", page->out);
    }
}

static void put_scale(hed_page *page, const heat_map *map)
{
    enum { STEPS = 24 };
    fputs("<p class=legend><svg class=scale role=img aria-label=\"Scale of colours\" height=14>",
        page->out);
    for (int i = 0; i < STEPS; i++) {
        unsigned color[3];
        color_of(1 - i / (STEPS - 1.0), color);
        fprintf(page->out, "<rect x=%.2f%% width=4.3%% height=14 fill=\"#%02x%02x%02x\"/>",
            i * 100.0 / STEPS, color[0], color[1], color[2]);
    }
    fprintf(page->out, "</svg> 1 to %.3g times the winner's%s</p>", map->worst,
        map->worst < MOST_WORST ? "" : ", and more");
}

static void put_map(hed_page *page, const heat_map *map, uint32_t number)
{
    uint32_t height = map->rows > 16 ? 560 : map->rows * 34 + 16;
    bool two = map->axes[1] < page->kernel->parameter_count;
    fprintf(page->out, "<div class=map id=map%u%s><p class=axis>", number, number ? " hidden" : "");
    if (two) {
        fputs("&#8593; ", page->out);
        hed_page_put(page, page->kernel->parameters[map->axes[1]].name);
    }
    fprintf(page->out,
        "</p><div class=plot><svg class=\"chart heat%s\" height=%u role=img aria-label=\"Heat map\">\n",
        map->columns > 7 ? " many" : "", height);
    if (map->rows * map->columns > MOST_NUMBERS) put_squares(page, map, height);
    else
        for (uint32_t i = 0; i < map->rows * map->columns; i++)
            put_cell(page, map, i % map->columns, i / map->columns);
    put_outline(page, map);
    put_labels(page, map, 0, 16);
    if (two) put_labels(page, map, 1, 24);
    fputs("</svg></div><p class=\"axis end\">", page->out);
    hed_page_put(page, page->kernel->parameters[map->axes[0]].name);
    fputs(" &#8594;</p>", page->out);
    put_scale(page, map);
    fputs("</div>\n", page->out);
}

/* ---- all of them ---- */

static heat_map make_map(hed_page *page, const uint32_t axes[2])
{
    heat_map map = {.axes = {axes[0], axes[1]},
        .columns = page->kernel->parameters[axes[0]].count,
        .rows = 1,
        .worst = 1.1};
    if (axes[1] < page->kernel->parameter_count) map.rows = page->kernel->parameters[axes[1]].count;
    map.cells = calloc((size_t)map.rows * map.columns, sizeof *map.cells);
    if (!map.cells) {
        page->out_of_memory = true;
        return map;
    }
    hed_report_fill(page->kernel, page->result, axes, map.cells);
    for (uint32_t i = 0; i < map.rows * map.columns; i++)
        if (map.cells[i].worked)
            map.worst = fmax(map.worst, fmin(ratio_of(page, &map.cells[i]), MOST_WORST));
    return map;
}

static void put_pair(hed_page *page, const uint32_t axes[2], uint32_t number)
{
    fprintf(page->out, "<option value=%u>", number);
    hed_page_put(page, page->kernel->parameters[axes[0]].name);
    if (axes[1] < page->kernel->parameter_count) {
        fputs(" and ", page->out);
        hed_page_put(page, page->kernel->parameters[axes[1]].name);
    }
    fputs("</option>", page->out);
}

/* The first pair, then the pairs of the most important parameters as far as there is room. */
static uint32_t choose_pairs(const hed_page *page, uint32_t pairs[][2])
{
    const hed_kernel_def *kernel = page->kernel;
    uint32_t ranked[HED_MAX_PARAMETERS], useful[MOST_RANKED], count = 0, pair_count = 1;
    hed_report_choose_axes(kernel, page->result, pairs[0]);
    if (pairs[0][0] == kernel->parameter_count) return 0;
    hed_report_rank(kernel, page->result, ranked);
    for (uint32_t i = 0; i < kernel->parameter_count && count < MOST_RANKED; i++)
        if (kernel->parameters[ranked[i]].count > 1) useful[count++] = ranked[i];
    uint32_t cells = 0;
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            uint32_t x = useful[a] < useful[b] ? useful[a] : useful[b],
                     y = useful[a] + useful[b] - x;
            if ((x == pairs[0][0] && y == pairs[0][1]) || (y == pairs[0][0] && x == pairs[0][1]))
                continue;
            cells += kernel->parameters[x].count * kernel->parameters[y].count;
            if (cells > MOST_CELLS) return pair_count;
            pairs[pair_count][0] = x;
            pairs[pair_count++][1] = y;
        }
    return pair_count;
}

void hed_page_heat_maps(hed_page *page)
{
    uint32_t pairs[1 + MOST_RANKED * (MOST_RANKED - 1) / 2][2];
    uint32_t count = page->result->best < page->result->count ? choose_pairs(page, pairs) : 0;
    if (!count) return;
    fputs(
        "<section><h2>Where the fast ones are</h2>\n<p>For each pair of values the best time over all other "
        "parameters, as a multiple of the "
        "winner's (outlined).",
        page->out);
    fputs(count > 1 ? " <label class=script hidden>Parameters <select id=pair>" : "", page->out);
    for (uint32_t i = 0; i < count && count > 1; i++) put_pair(page, pairs[i], i);
    fputs(count > 1 ? "</select></label></p>\n" : "</p>\n", page->out);
    for (uint32_t i = 0; i < count; i++) {
        heat_map map = make_map(page, pairs[i]);
        if (map.cells) put_map(page, &map, i);
        free(map.cells);
    }
    fputs("</section>\n", page->out);
}
