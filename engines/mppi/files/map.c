/* Maps: images with the YAML of a ROS map server, distances to occupied cells, and the tables
 * that terms read. The YAML reader supports lines "key: value", lists in brackets and comments. */
#include "heddle/author.h"
#include "heddle/mppi_scene.h"
#include "support/file.h"
#include "support/png.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_MOST_CELLS = 1 << 26, MAP_MOST_SIDE = 1 << 15 };

/* ---- portable graymaps: P2 and P5 ---- */

typedef struct pgm_reader {
    const char *name, *at, *end;
    hed_error *error;
} pgm_reader;

/* Reads the next number of the header, or of a P2 file; -1 with an error if there is none. */
static long pgm_number(pgm_reader *r, const char *subject, long limit)
{
    if (hed_failed(r->error)) return -1;
    while (r->at < r->end && (strchr(" \t\r\n", *r->at) || *r->at == '#'))
        if (*r->at++ == '#')
            while (r->at < r->end && *r->at != '\n') r->at++;
    long value = -1;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && value <= limit; r->at++)
        value = (value < 0 ? 0 : 10 * value) + (*r->at - '0');
    if (value >= 0 && value <= limit) return value;
    hed_fail(r->error, HED_ERROR_FORMAT, "%s: %s: expected a number up to %ld, found %s", r->name,
        subject, limit,
        r->at >= r->end ? "the end of the file"
        : value < 0     ? "none"
                        : "a larger one");
    return -1;
}

static hed_status pgm_decode(
    const char *name, const char *bytes, size_t size, hed_image *image, hed_error *error)
{
    hed_error local_error = {0}; /* the reader tests `error` */
    pgm_reader r = {name, bytes + 2, bytes + size, error ? error : &local_error};
    bool plain = bytes[1] == '2';
    long width = pgm_number(&r, "width", MAP_MOST_SIDE);
    long height = pgm_number(&r, "height", MAP_MOST_SIDE);
    long max_value = pgm_number(&r, "largest value", 65535);
    if (hed_failed(r.error)) return r.error->status;
    if (width < 1 || height < 1 || max_value < 1)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: a graymap of %ld x %ld with values up to %ld: all must be at least 1", name, width,
            height, max_value);
    size_t wide = max_value > 255 ? 2 : 1, cells = (size_t)width * (size_t)height;
    /* a single blank ends the header; in P2 each value but the last has a digit and a blank */
    if (!plain) r.at++;
    size_t left = r.at < r.end ? (size_t)(r.end - r.at) : 0;
    if (left < (plain ? 2 * cells - 1 : wide * cells))
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s is cut: %zu bytes follow its header, %zu values must", name, left, cells);
    hed_status status = hed_image_create((uint32_t)width, (uint32_t)height, 1, image, error);
    for (size_t i = 0; status == HED_OK && i < cells; i++) {
        long value;
        if (plain) value = pgm_number(&r, "value", max_value);
        else
            value = wide == 2 ? (long)(uint8_t)r.at[2 * i] << 8 | (uint8_t)r.at[2 * i + 1]
                              : (long)(uint8_t)r.at[i];
        if (value > max_value) value = max_value;
        if (value < 0) status = r.error->status;
        else image->pixels[i] = (uint8_t)((value * 255 + max_value / 2) / max_value);
    }
    if (status != HED_OK) hed_image_free(image);
    return status;
}

static hed_status map_read_image(const char *path, hed_image *image, hed_error *error)
{
    char *bytes;
    size_t size;
    hed_status status = hed_file_read(path, 1u << 30, &bytes, &size, error);
    if (status != HED_OK) return status;
    if (size > 2 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '2'))
        status = pgm_decode(path, bytes, size, image, error);
    else if (size > 4 && memcmp(bytes, "\x89PNG", 4) == 0)
        status = hed_png_decode(path, bytes, size, image, error);
    else
        status = hed_fail(error, HED_ERROR_FORMAT,
            "%s is no image that maps have: expected a PGM (P5 or P2) or a PNG", path);
    free(bytes);
    if (status == HED_OK && (uint64_t)image->width * image->height > MAP_MOST_CELLS) {
        status = hed_fail(error, HED_ERROR_LIMIT, "%s has %u x %u cells: at most %d are read", path,
            image->width, image->height, MAP_MOST_CELLS);
        hed_image_free(image);
    }
    return status;
}

/* ---- the YAML ---- */

enum { MAP_TRINARY, MAP_SCALE, MAP_RAW };

typedef struct map_yaml {
    const char *image; /* points into the text */
    double resolution, origin[3], negate, occupied, free_below;
    int mode;
} map_yaml;

/* Reads the numbers of "0.05" or "[-10, -10.0, 0]". */
static bool yaml_numbers(const char *text, double *values, int count)
{
    if (count > 1 && *text++ != '[') return false;
    for (int i = 0; i < count; i++) {
        char *end;
        values[i] = strtod(text, &end);
        if (end == text || !isfinite(values[i])) return false;
        text = end + strspn(end, " ");
        if (i + 1 < count && *text++ != ',') return false;
    }
    if (count > 1 && *text++ != ']') return false;
    return text[strspn(text, " ")] == 0;
}

/* Reads one "key: value" into `yaml`; returns a description of the expected value, or NULL if
 * the value is valid. */
static const char *yaml_take(map_yaml *yaml, const char *key, char *value)
{
    size_t length = strlen(value);
    if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
        value[length - 1] = 0;
        value++;
    }
    if (strcmp(key, "image") == 0) {
        yaml->image = value;
        return *value ? NULL : "the name of a file";
    }
    if (strcmp(key, "mode") == 0) {
        static const char *const modes[] = {"trinary", "scale", "raw"};
        for (int i = 0; i < 3; i++)
            if (strcmp(value, modes[i]) == 0) return yaml->mode = i, NULL;
        return "trinary, scale or raw";
    }
    if (strcmp(key, "origin") == 0)
        return yaml_numbers(value, yaml->origin, 3) ? NULL : "three numbers, [x, y, yaw]";
    const struct {
        const char *key;
        double *value, low, high;
        const char *expected;
    } numbers[] = {
        {"resolution", &yaml->resolution, 1e-6, 1e6, "metres of a cell, above 0"},
        {"negate", &yaml->negate, 0, 1, "0 or 1"},
        {"occupied_thresh", &yaml->occupied, 0, 1, "a number from 0 to 1"},
        {"free_thresh", &yaml->free_below, 0, 1, "a number from 0 to 1"},
    };
    for (size_t i = 0; i < HED_COUNT(numbers); i++)
        if (strcmp(key, numbers[i].key) == 0)
            return yaml_numbers(value, numbers[i].value, 1) &&
                           *numbers[i].value >= numbers[i].low &&
                           *numbers[i].value <= numbers[i].high
                       ? NULL
                       : numbers[i].expected;
    return NULL; /* unknown keys belong to other programs */
}

static hed_status yaml_read(const char *name, char *text, map_yaml *yaml, hed_error *error)
{
    *yaml = (map_yaml){.image = "", .occupied = 0.65, .free_below = 0.196};
    unsigned number = 0;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        number++;
        char *comment = line[0] == '#' ? line : strstr(line, " #");
        if (comment) *comment = 0;
        size_t length = strlen(line);
        while (length && strchr(" \t\r", line[length - 1])) line[--length] = 0;
        if (!length || strcmp(line, "---") == 0) continue;
        char *colon = strchr(line, ':');
        if (!colon || line[0] == ' ' || line[0] == '-')
            return hed_fail(error, HED_ERROR_FORMAT,
                "%s:%u: expected \"key: value\" at the beginning of the line, found \"%.40s\"",
                name, number, line);
        *colon = 0;
        char *value = colon + 1 + strspn(colon + 1, " \t");
        const char *expected = yaml_take(yaml, line, value);
        if (expected)
            return hed_fail(error, HED_ERROR_FORMAT, "%s:%u: %s: expected %s, found \"%.60s\"",
                name, number, line, expected, value);
    }
    if (!yaml->image[0] || !(yaml->resolution > 0))
        return hed_fail(error, HED_ERROR_FORMAT, "%s says nothing of the %s of the map", name,
            yaml->image[0] ? "resolution" : "image");
    if (yaml->origin[2] != 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: the map is turned by %g rad (third number of origin): turn the image instead",
            name, yaml->origin[2]);
    return HED_OK;
}

/* ---- from both to a map ---- */

/* Converts a pixel by the rules of ROS's map_server. */
static float map_value(const map_yaml *yaml, const hed_image *image, const uint8_t *pixel)
{
    uint32_t colours = image->channels >= 3 ? 3 : 1;
    double gray = 0;
    for (uint32_t k = 0; k < colours; k++) gray += pixel[k] / (double)colours;
    if (yaml->mode == MAP_RAW) return gray <= 100 ? (float)(gray / 100) : -1;
    double dark = yaml->negate != 0 ? gray / 255 : (255 - gray) / 255;
    if (dark > yaml->occupied) return 1;
    if (dark < yaml->free_below) return 0;
    bool clear = image->channels == 4 && pixel[3] < 255;
    if (yaml->mode == MAP_TRINARY || clear || !(yaml->occupied > yaml->free_below)) return -1;
    return (float)((dark - yaml->free_below) / (yaml->occupied - yaml->free_below));
}

static hed_status map_fill(const char *name, const map_yaml *yaml, const hed_image *image,
    hed_mppi_map *map, hed_error *error)
{
    if (image->width < 2 || image->height < 2)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: a map of %u x %u cells: at least 2 x 2 are needed", name, image->width,
            image->height);
    *map = (hed_mppi_map){image->width, image->height, yaml->resolution, yaml->origin[0],
        yaml->origin[1], malloc((size_t)image->width * image->height * sizeof(float))};
    if (!map->values) return HED_OUT_OF_MEMORY(error, "%s", name);
    for (uint32_t y = 0; y < map->height; y++)
        for (uint32_t x = 0; x < map->width; x++) {
            size_t from = ((size_t)(map->height - 1 - y) * map->width + x) * image->channels;
            map->values[(size_t)y * map->width + x] = map_value(yaml, image, image->pixels + from);
        }
    return HED_OK;
}

hed_status hed_mppi_map_read(const char *path, hed_mppi_map *map, hed_error *error)
{
    HED_REQUIRE(path, map);
    *map = (hed_mppi_map){0};
    char *text, file[4096];
    size_t size;
    map_yaml yaml;
    hed_image image = {0};
    hed_status status = hed_file_read(path, 1 << 20, &text, &size, error);
    if (status != HED_OK) return status;
    status = memchr(text, 0, size)
                 ? hed_fail(error, HED_ERROR_FORMAT, "%s is no YAML: it holds a zero byte", path)
                 : yaml_read(path, text, &yaml, error);
    if (status == HED_OK) {
        const char *slash = yaml.image[0] == '/' ? NULL : strrchr(path, '/');
        int length = snprintf(
            file, sizeof file, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, yaml.image);
        if (length < 0 || (size_t)length >= sizeof file)
            status = hed_fail(error, HED_ERROR_LIMIT,
                "%s: the path of its image has %d bytes; expected at most %zu", path, length,
                sizeof file - 1);
    }
    free(text);
    if (status != HED_OK) return status;
    status = map_read_image(file, &image, error);
    if (status == HED_OK) status = map_fill(path, &yaml, &image, map, error);
    hed_image_free(&image);
    return status;
}

void hed_mppi_map_free(hed_mppi_map *map)
{
    if (!map) return;
    free(map->values);
    *map = (hed_mppi_map){0};
}

/* ---- distances ---- */

/* Replaces n values f, `step` apart, by min over q of (p - q)^2 + f(q), the lower envelope of a
 * parabola at each value. `parabola` (n): parabolas of the envelope; `from` (n + 1): their first
 * positions; `values` (n): a copy of f. */
static void map_envelope(
    double *f, size_t step, uint32_t n, uint32_t *parabola, double *from, double *values)
{
    uint32_t k = 0;
    for (uint32_t q = 0; q < n; q++) values[q] = f[q * step];
    parabola[0] = 0;
    from[0] = -INFINITY;
    from[1] = INFINITY;
    for (uint32_t q = 1; q < n; q++) {
        if (isinf(values[q])) continue;
        double cross = -INFINITY;
        for (;; k--) {
            double p = parabola[k];
            if (!isinf(values[parabola[k]]))
                cross =
                    ((values[q] + (double)q * q) - (values[parabola[k]] + p * p)) / (2 * (q - p));
            else cross = -INFINITY;
            if (k == 0 || cross > from[k]) break;
        }
        if (cross > from[k]) k++;
        parabola[k] = q;
        from[k] = k ? cross : -INFINITY;
        from[k + 1] = INFINITY;
    }
    k = 0;
    for (uint32_t p = 0; p < n; p++) {
        while (from[k + 1] < p) k++;
        double d = (double)p - parabola[k];
        f[p * step] = d * d + values[parabola[k]];
    }
}

/* Computes squared distances, in cells, to the nearest cell that is occupied (with `inside`) or
 * free (without); infinite: no such cell. */
static void map_squares(
    const hed_mppi_map *map, float occupied, bool inside, double *squares, void *scratch)
{
    uint32_t w = map->width, h = map->height, side = w > h ? w : h;
    double *from = scratch, *values = from + side + 1;
    uint32_t *parabola = (uint32_t *)(values + side);
    for (size_t i = 0; i < (size_t)w * h; i++)
        squares[i] = (map->values[i] >= occupied) == inside ? 0 : INFINITY;
    for (uint32_t x = 0; x < w; x++) map_envelope(squares + x, w, h, parabola, from, values);
    for (uint32_t y = 0; y < h; y++)
        map_envelope(squares + (size_t)y * w, 1, w, parabola, from, values);
}

hed_status hed_mppi_map_distances(
    const hed_mppi_map *map, float occupied, float *distances, hed_error *error)
{
    HED_REQUIRE(map, distances);
    size_t cells = (size_t)map->width * map->height;
    size_t side = map->width > map->height ? map->width : map->height;
    double *squares = malloc(cells * sizeof *squares);
    void *scratch = malloc((2 * side + 1) * sizeof(double) + side * sizeof(uint32_t));
    double limit = map->resolution * ((double)map->width + map->height);
    if (squares && scratch) {
        for (int inside = 1; inside >= 0; inside--) {
            map_squares(map, occupied, inside, squares, scratch);
            for (size_t i = 0; i < cells; i++) {
                if ((map->values[i] >= occupied) == inside) continue;
                /* half a cell from the centre to the edge */
                double d = isinf(squares[i]) ? limit : map->resolution * (sqrt(squares[i]) - 0.5);
                distances[i] = (float)(inside ? d : -d);
            }
        }
    } else HED_OUT_OF_MEMORY(error, "the distances of a map");
    bool has_memory = squares && scratch;
    free(squares);
    free(scratch);
    return has_memory ? HED_OK : HED_ERROR_MEMORY;
}

/* ---- tables ---- */

void hed_mppi_map_table(const hed_mppi_map *map, const float *values, float *table)
{
    if (!map || !values || !table) return;
    const float head[HED_MPPI_GRID_HEAD] = {(float)map->width, (float)map->height,
        (float)(map->x + map->resolution / 2), (float)(map->y + map->resolution / 2),
        (float)(1 / map->resolution)};
    memcpy(table, head, sizeof head);
    memcpy(table + HED_MPPI_GRID_HEAD, values, (size_t)map->width * map->height * sizeof *table);
}

uint32_t hed_mppi_path_table(const float *points, uint32_t count, bool closed, float *table)
{
    if ((!points && count) || !table) return 0;
    uint32_t written = 0, ends = closed ? count : count ? count - 1 : 0;
    for (uint32_t i = 0; i < ends; i++) {
        const float *a = points + 2 * i, *b = points + 2 * ((i + 1) % count);
        float dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
        if (!(square > 1e-12f)) continue; /* (1e-6 m)^2 */
        const float segment[HED_MPPI_PATH_SEGMENT] = {
            a[0], a[1], dx, dy, 1 / square, 0, sqrtf(square), (float)hed_strict_atan2(dy, dx)};
        memcpy(table + written, segment, sizeof segment);
        written += HED_MPPI_PATH_SEGMENT;
    }
    float rest_length = 0; /* remaining length from the beginning of a segment */
    for (uint32_t at = written; at > 0; at -= HED_MPPI_PATH_SEGMENT) {
        float *segment = table + at - HED_MPPI_PATH_SEGMENT;
        segment[5] = rest_length += segment[6];
    }
    return written;
}
