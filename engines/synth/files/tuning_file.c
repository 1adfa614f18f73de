/* Tunings: Scala's scales (.scl) with its keyboard mappings (.kbm), and AnaMark's .tun. */
#include "heddle/author.h"
#include "heddle/synth_file.h"

#include "support/file.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { KEYS = 128, MAX_DEGREES = 1024, LARGEST_TUNING = 1 << 20, LINE = 256, UNMAPPED = -1 };
static const double LOWEST_KEY = 8.1757989156437; /* Hz; frequency of key 0 */

/* A text that is read line by line. */
typedef struct tuning_text {
    const char *at, *end, *name;
    uint32_t line;
    bool has_ended;
    char text[LINE]; /* the present line */
} tuning_text;

typedef struct tuning_scale {
    uint32_t count;
    double cents[MAX_DEGREES + 1]; /* cents of each degree; 0 for degree 0 */
} tuning_scale;

typedef struct tuning_map {
    int32_t count, middle, reference, octave; /* octave: degree at which the map repeats */
    double frequency;                         /* frequency of the reference key, Hz */
    int32_t degrees[MAX_DEGREES];             /* (count) degree of each key, or UNMAPPED */
} tuning_map;

static hed_status tuning_wrong(const tuning_text *t, const char *expected, hed_error *error)
{
    if (t->has_ended)
        return hed_fail(error, HED_ERROR_FORMAT, "%s: %s after line %u; expected %s", t->name,
            t->line ? "the file ends" : "the file is empty, it ends", t->line, expected);
    return hed_fail(error, HED_ERROR_FORMAT, "%s: line %u is \"%.60s\"; expected %s", t->name,
        t->line, t->text, expected);
}

/* Reads the next line that is no comment of Scala ('!'). False: the end; then the line is empty. */
static bool tuning_next(tuning_text *t)
{
    while (t->at < t->end) {
        const char *end = memchr(t->at, '\n', (size_t)(t->end - t->at));
        if (!end) end = t->end;
        size_t length = (size_t)(end - t->at);
        if (length >= LINE) length = LINE - 1;
        memcpy(t->text, t->at, length);
        t->text[length] = 0;
        t->text[strcspn(t->text, "\r")] = 0;
        t->at = end < t->end ? end + 1 : end;
        t->line++;
        if (t->text[0] != '!') return true;
    }
    t->text[0] = 0;
    t->has_ended = true;
    return false;
}

/* Reads the number at the beginning of the next line. */
static hed_status tuning_read_number(
    tuning_text *t, double low, double high, const char *expected, double *value, hed_error *error)
{
    char *end = t->text;
    if (tuning_next(t)) *value = strtod(t->text, &end);
    bool is_valid = end != t->text && *value >= low && *value <= high;
    return is_valid ? HED_OK : tuning_wrong(t, expected, error);
}

/* ---- Scala ---- */

/* Reads a degree: cents with a point, else a ratio or an integer. */
static hed_status tuning_read_degree(tuning_text *t, double *cents, hed_error *error)
{
    static const char *const expected = "cents (701.955) or a ratio (3/2)";
    if (!tuning_next(t)) return tuning_wrong(t, expected, error);
    const char *begin = t->text + strspn(t->text, " \t");
    char *end;
    size_t length = strcspn(begin, " \t");
    bool is_ratio = memchr(begin, '/', length) || !memchr(begin, '.', length);
    double value = strtod(begin, &end), below = 1;
    if (end == begin) return tuning_wrong(t, expected, error);
    if (!is_ratio) {
        *cents = value;
    } else {
        if (*end == '/') below = strtod(end + 1, NULL);
        if (!(value > 0 && below > 0)) return tuning_wrong(t, expected, error);
        *cents = 1200 * hed_strict_log2(value / below);
    }
    return fabs(*cents) <= 1e5 ? HED_OK : tuning_wrong(t, expected, error);
}

static hed_status tuning_read_scale(tuning_text *t, tuning_scale *scale, hed_error *error)
{
    double count = 0;
    tuning_next(t); /* the description, which may be empty */
    if (tuning_read_number(t, 1, MAX_DEGREES, "the number of notes, 1 to 1024", &count, error))
        return error->status;
    scale->count = (uint32_t)count;
    for (uint32_t i = 1; i <= scale->count; i++)
        if (tuning_read_degree(t, &scale->cents[i], error)) return error->status;
    return HED_OK;
}

static hed_status tuning_read_map(tuning_text *t, tuning_map *map, hed_error *error)
{
    double count = 0, edge = 0, middle = 0, reference = 0, octave = 0;
    if (tuning_read_number(t, 0, MAX_DEGREES, "the size of the map, 0 to 1024", &count, error) ||
        tuning_read_number(t, 0, 127, "the first key, 0 to 127", &edge, error) ||
        tuning_read_number(t, 0, 127, "the last key, 0 to 127", &edge, error) ||
        tuning_read_number(t, 0, 127, "the middle key, 0 to 127", &middle, error) ||
        tuning_read_number(t, 0, 127, "the reference key, 0 to 127", &reference, error) ||
        tuning_read_number(t, 1e-3, 1e6, "a frequency in Hz", &map->frequency, error) ||
        tuning_read_number(t, 0, MAX_DEGREES, "the degree of the octave", &octave, error))
        return error->status;
    map->count = (int32_t)count;
    map->middle = (int32_t)middle;
    map->reference = (int32_t)reference;
    map->octave = (int32_t)octave;
    for (int32_t i = 0; i < map->count; i++) {
        map->degrees[i] = UNMAPPED;
        if (!tuning_next(t)) continue; /* keys after the end are not mapped */
        char *end;
        double degree = strtod(t->text, &end);
        if (t->text[strspn(t->text, " \t")] == 'x') continue;
        if (end == t->text || !(degree >= 0 && degree <= MAX_DEGREES))
            return tuning_wrong(t, "a degree, or x", error);
        map->degrees[i] = (int32_t)degree;
    }
    return HED_OK;
}

/* Returns the quotient rounded down, and the remainder. */
static int32_t divide_down(int32_t value, int32_t by, int32_t *rest)
{
    int32_t quotient = value / by - (value % by < 0);
    *rest = value - quotient * by;
    return quotient;
}

static double cents_of_degree(const tuning_scale *scale, int32_t degree)
{
    int32_t rest, octaves = divide_down(degree, (int32_t)scale->count, &rest);
    return octaves * scale->cents[scale->count] + scale->cents[rest];
}

/* Computes the cents of a key above the middle key. False: not mapped. */
static bool cents_of_key(
    const tuning_scale *scale, const tuning_map *map, int32_t key, double *cents)
{
    int32_t rest, steps = key - map->middle;
    if (map->count == 0) {
        *cents = cents_of_degree(scale, steps);
        return true;
    }
    int32_t octaves = divide_down(steps, map->count, &rest);
    if (map->degrees[rest] == UNMAPPED) return false;
    int32_t octave = map->octave ? map->octave : (int32_t)scale->count;
    *cents = octaves * cents_of_degree(scale, octave) + cents_of_degree(scale, map->degrees[rest]);
    return true;
}

static hed_status fill_from_scale(const tuning_text *t, const tuning_scale *scale,
    const tuning_map *map, float *pitches, hed_error *error)
{
    double reference, cents;
    if (!cents_of_key(scale, map, map->reference, &reference))
        return hed_fail(error, HED_ERROR_FORMAT, "%s: reference key %d is not mapped", t->name,
            (int)map->reference);
    double base = 12 * hed_strict_log2(map->frequency / LOWEST_KEY);
    for (int32_t key = 0; key < KEYS; key++)
        pitches[key] = cents_of_key(scale, map, key, &cents)
                           ? (float)fmin(fmax(base + (cents - reference) / 100, -128), 256)
                           : NAN;
    return HED_OK;
}

/* ---- .tun ---- */

/* Reads lines such as "note 60=6000.0", in cents above `basefreq`; later sections are more exact. */
static hed_status tuning_read_tun(tuning_text *t, float *pitches, hed_error *error)
{
    double base = 0;
    uint32_t found = 0;
    while (tuning_next(t)) {
        unsigned key;
        double value;
        if (sscanf(t->text, " note %u = %lf", &key, &value) == 2 ||
            sscanf(t->text, " Note %u = %lf", &key, &value) == 2) {
            if (key >= KEYS || !(fabs(value) <= 25600))
                return tuning_wrong(t, "note 0 to 127 = cents up to 25600", error);
            pitches[key] = (float)fmin(fmax(base + value / 100, -128), 256);
            found++;
        } else if (sscanf(t->text, " basefreq = %lf", &value) == 1 ||
                   sscanf(t->text, " BaseFreq = %lf", &value) == 1) {
            if (!(value > 1e-3 && value < 1e5)) return tuning_wrong(t, "a frequency in Hz", error);
            base = 12 * hed_strict_log2(value / LOWEST_KEY);
        }
    }
    return found ? HED_OK
                 : hed_fail(error, HED_ERROR_FORMAT, "%s: no line \"note N=CENTS\"", t->name);
}

/* ---- doors ---- */

/* Skips the mark of UTF-8 at the beginning of a text; `text` NULL: empty. */
static tuning_text tuning_begin(const char *text, size_t size, const char *name)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (!text) text = mark, size = 0;
    size_t skip =
        size >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
    return (tuning_text){.at = text + skip, .end = text + size, .name = name};
}

/* `m` NULL: no mapping. */
static hed_status tuning_read_all(tuning_text *t, tuning_text *m, float *pitches, hed_error *error)
{
    for (uint32_t key = 0; key < KEYS; key++) pitches[key] = (float)key;
    size_t length = strlen(t->name);
    if (length >= 4 && strcasecmp(t->name + length - 4, ".tun") == 0)
        return m ? hed_fail(error, HED_ERROR_FORMAT,
                       "%s: a .tun has the pitches of all keys; expected a scale (.scl) beside %s", t->name, m->name)
                 : tuning_read_tun(t, pitches, error);
    tuning_scale scale = {0};
    tuning_map map = {
        .middle = 60, .reference = 60, .frequency = LOWEST_KEY * hed_strict_exp2(5.0)};
    if (tuning_read_scale(t, &scale, error)) return error->status;
    if (m && tuning_read_map(m, &map, error)) return error->status;
    return fill_from_scale(m ? m : t, &scale, &map, pitches, error);
}

hed_status hed_synth_tuning_parse(const char *text, size_t size, const char *name,
    const char *map_text, size_t map_size, float *pitches, hed_error *error)
{
    HED_REQUIRE(text || !size, name, pitches);
    hed_error unseen = {0};
    tuning_text t = tuning_begin(text, size, name),
                m = tuning_begin(map_text, map_size, "the keyboard mapping");
    return tuning_read_all(&t, map_text ? &m : NULL, pitches, error ? error : &unseen);
}

hed_status hed_synth_tuning_read(
    const char *path, const char *mapping, float *pitches, hed_error *error)
{
    HED_REQUIRE(path, pitches);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    char *text = NULL, *map = NULL;
    size_t size = 0, map_size = 0;
    if (!hed_file_read(path, LARGEST_TUNING, &text, &size, error) &&
        (!mapping || !hed_file_read(mapping, LARGEST_TUNING, &map, &map_size, error))) {
        tuning_text t = tuning_begin(text, size, path), m = tuning_begin(map, map_size, mapping);
        tuning_read_all(&t, mapping ? &m : NULL, pitches, error);
    }
    free(text);
    free(map);
    return error->status;
}
