/* Choices of one kernel for one device, read once when the kernel is created. A query only compares
 * numbers: it finds the nearest of a few sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "database/database_file.h"

/* A choice. Sizes are stored as logarithms, in which distances are measured. */
typedef struct choice {
    hed_config config;
    hed_problem problem;
    float logs[HED_MAX_DIMENSIONS];
    /* best possible origin: EXACT, OTHER_DRIVER, SAME_ARCHITECTURE, SAME_VENDOR */
    hed_config_origin nearest;
    bool same_driver, installed;
    bool has_numbers;     /* name of the tuned kernel has further numbers, as "blur radius=8" */
    uint32_t units_apart; /* difference of the devices' numbers of compute units */
    int64_t id;           /* larger for newer choices */
} choice;

struct hed_choices {
    hed_allocator allocator;
    uint32_t count, capacity;
    choice items[]; /* (capacity) entries, in the order of compare_choices() */
};

/* ---- loading ---- */

/* A space follows the kernel's name in names with numbers, and '!' follows the space in ASCII. */
static const char CHOICES[] =
    "SELECT c.id, c.config, k.problem, k.driver, k.compiler, d.backend, d.platform, d.name, d.vendor, d.type,"
    "    d.architecture, d.compute_units, k.kernel"
    " FROM choice c JOIN key k ON k.id = c.key JOIN device d ON d.id = k.device"
    " WHERE (k.kernel = ?1 OR (k.kernel > ?1 || ' ' AND k.kernel < ?1 || '!')) AND k.source = ?2 AND k.math = ?3"
    "    AND k.objective = ?4";

static bool classify(sqlite3_stmt *row, const hed_tune_key *key, choice *c)
{
    const char *type = hed_column_text(row, 9);
    const hed_database_entry device = {.backend = hed_column_text(row, 5),
        .platform = hed_column_text(row, 6),
        .device = hed_column_text(row, 7),
        .vendor = hed_column_text(row, 8),
        .type = hed_device_type_read(type),
        .architecture = (uint32_t)sqlite3_column_int64(row, 10),
        .compute_units = (uint32_t)sqlite3_column_int64(row, 11)};
    c->same_driver = !strcmp(hed_column_text(row, 3), key->device->driver) &&
                     !strcmp(hed_column_text(row, 4), key->compiler);
    c->units_apart = (uint32_t)labs((long)device.compute_units - (long)key->device->compute_units);
    switch (hed_device_relation(key->device, &device)) {
    case HED_SAME_DEVICE:
        c->nearest = c->same_driver ? HED_ORIGIN_EXACT : HED_ORIGIN_OTHER_DRIVER;
        return true;
    case HED_SAME_ARCHITECTURE: c->nearest = HED_ORIGIN_SAME_ARCHITECTURE; return true;
    case HED_SAME_VENDOR: c->nearest = HED_ORIGIN_SAME_VENDOR; return true;
    default: return false;
    }
}

static bool choices_read_choice(
    sqlite3_stmt *row, const hed_tune_key *key, bool installed, choice *c)
{
    *c = (choice){.id = sqlite3_column_int64(row, 0),
        .installed = installed,
        .has_numbers = strcmp(hed_column_text(row, 12), key->kernel) != 0};
    if (!hed_config_read(
            hed_column_text(row, 1), key->parameters, key->parameter_count, false, &c->config) ||
        !hed_problem_read(
            hed_column_text(row, 2), key->dimensions, key->dimension_count, &c->problem))
        return false;
    for (uint32_t i = 0; i < c->problem.count; i++) c->logs[i] = log2f((float)c->problem.sizes[i]);
    return classify(row, key, c);
}

static choice *choices_add(hed_choices **choices, const hed_allocator *allocator)
{
    hed_choices *former = *choices;
    uint32_t count = former ? former->count : 0;
    if (!former || count == former->capacity) {
        uint32_t capacity = count ? count * 2 : 8;
        hed_choices *larger = hed_allocate(allocator, sizeof *larger + capacity * sizeof(choice));
        if (!larger) return NULL;
        if (former) memcpy(larger->items, former->items, count * sizeof(choice));
        larger->allocator = *allocator;
        larger->capacity = capacity;
        larger->count = count;
        hed_choices_free(former);
        *choices = larger;
    }
    return &(*choices)->items[(*choices)->count++];
}

static hed_status choices_read_choices(hed_database *database, const hed_tune_key *key,
    bool installed, hed_choices **choices, hed_error *error)
{
    sqlite3_busy_timeout(database->handle, HED_READ_PATIENCE);
    sqlite3_stmt *row = hed_database_statement(database, CHOICES, "tttt", key->kernel, key->source,
        hed_math_word(key->math), hed_objective_word(key->objective));
    while (hed_database_row(database, row, error)) {
        choice read, *added;
        if (!choices_read_choice(row, key, installed, &read)) continue;
        added = choices_add(choices, &database->allocator);
        if (added) *added = read;
        else HED_OUT_OF_MEMORY(error, "the choices of %s", key->kernel);
    }
    return error->status;
}

static void choices_load_from(
    hed_database *database, const hed_tune_key *key, bool installed, hed_choices **choices)
{
    hed_error error = {0};
    /* the cause was logged when the file was set aside */
    if (!database || hed_database_enter(database, NULL)) return;
    hed_status status = choices_read_choices(database, key, installed, choices, &error);
    hed_database_leave(database);
    if (status)
        hed_log_message(&database->logger, HED_LOG_WARNING,
            "%s runs without its tuned configuration: %s", key->kernel, error.text);
}

/* Order of choices, independent of the requested size. */
static int compare_choices(const void *a, const void *b)
{
    const choice *x = a, *y = b;
    if (x->nearest != y->nearest) return x->nearest < y->nearest ? -1 : 1;
    if (x->has_numbers != y->has_numbers) return x->has_numbers ? 1 : -1;
    if (x->units_apart != y->units_apart) return x->units_apart < y->units_apart ? -1 : 1;
    if (x->same_driver != y->same_driver) return x->same_driver ? -1 : 1;
    if (x->installed != y->installed) return x->installed ? 1 : -1;
    return x->id > y->id ? -1 : x->id < y->id;
}

bool hed_choices_any(hed_context *context)
{
    return hed_context_database_found(context) || hed_context_installed(context);
}

hed_choices *hed_choices_load(hed_context *context, const hed_tune_key *key)
{
    hed_choices *choices = NULL;
    if (!key->source[0]) return NULL;
    choices_load_from(hed_context_database_found(context), key, false, &choices);
    choices_load_from(hed_context_installed(context), key, true, &choices);
    if (choices) qsort(choices->items, choices->count, sizeof(choice), compare_choices);
    return choices;
}

hed_choices *hed_choices_load_from(hed_database *database, const hed_tune_key *key)
{
    hed_choices *choices = NULL;
    if (!key->source[0]) return NULL;
    choices_load_from(database, key, false, &choices);
    if (choices) qsort(choices->items, choices->count, sizeof(choice), compare_choices);
    return choices;
}

void hed_choices_free(hed_choices *choices)
{
    if (!choices) return;
    hed_allocator allocator = choices->allocator;
    hed_release(&allocator, choices, sizeof *choices + choices->capacity * sizeof(choice));
}

/* ---- queries ---- */

/* Rank of a choice for a size: by origin, then distance, then position in the list. */
typedef struct standing {
    hed_config_origin configured;
    float distance; /* squared distance of the sizes' logarithms */
    uint32_t index;
} standing;

static bool comes_before(const standing *a, const standing *b)
{
    if (a->configured != b->configured) return a->configured < b->configured;
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->index < b->index;
}

static standing choices_judge(
    const hed_choices *choices, uint32_t index, const hed_problem *problem, const float *logs)
{
    const choice *c = &choices->items[index];
    standing s = {c->nearest, 0, index};
    uint32_t count = problem ? problem->count : 0;
    bool sized = count && count == c->problem.count,
         is_comparable = problem && count == c->problem.count;
    for (uint32_t i = 0; i < count && sized; i++) {
        float difference = logs[i] - c->logs[i];
        s.distance += difference * difference;
        is_comparable = is_comparable && problem->sizes[i] == c->problem.sizes[i];
    }
    bool is_own = c->nearest == HED_ORIGIN_EXACT || c->nearest == HED_ORIGIN_OTHER_DRIVER;
    if (is_own && !is_comparable) s.configured = HED_ORIGIN_NEAR_SIZE;
    return s;
}

bool hed_choices_find(const hed_choices *choices, const hed_problem *problem, uint32_t rank,
    hed_config *config, hed_config_origin *configured)
{
    float logs[HED_MAX_DIMENSIONS] = {0};
    standing last = {0}, best = {0};
    if (!choices || rank >= choices->count) return false;
    for (uint32_t i = 0; problem && i < problem->count; i++)
        logs[i] = log2f((float)problem->sizes[i]);
    /* lists are short and rank is nearly always 0: find the next best rank + 1 times, without
     * allocation */
    for (uint32_t r = 0; r <= rank; r++) {
        bool has_best = false;
        for (uint32_t i = 0; i < choices->count; i++) {
            standing s = choices_judge(choices, i, problem, logs);
            if (r > 0 && !comes_before(&last, &s)) continue;
            if (!has_best || comes_before(&s, &best)) best = s;
            has_best = true;
        }
        last = best;
    }
    *config = choices->items[best.index].config;
    *configured = best.configured;
    return true;
}

/* Distance of a device and a size in the database from the requested ones. */

hed_relation hed_device_relation(const hed_device_info *device, const hed_database_entry *entry)
{
    bool backend = strcmp(device->backend, entry->backend) == 0;
    bool name =
        strcmp(device->platform, entry->platform) == 0 && strcmp(device->name, entry->device) == 0;
    /* two drivers write one vendor as "NVIDIA" and "NVIDIA Corporation" */
    size_t length = strcspn(device->vendor, " (");
    bool vendor = device->type == entry->type && length && length == strcspn(entry->vendor, " (") &&
                  sqlite3_strnicmp(device->vendor, entry->vendor, (int)length) == 0;
    if (backend && name && device->compute_units == entry->compute_units &&
        device->architecture == entry->architecture)
        return HED_SAME_DEVICE;
    /* CUDA is the only backend that reports an architecture. On other backends the same name with
     * another number of units (a partition, another number of threads) counts as the same
     * architecture. */
    if (backend && ((device->architecture && device->architecture == entry->architecture) || name))
        return HED_SAME_ARCHITECTURE;
    if (vendor) return HED_SAME_VENDOR;
    return device->type == entry->type ? HED_SAME_TYPE : HED_UNRELATED;
}

double hed_problem_distance(const hed_problem *a, const hed_problem *b)
{
    double sum = 0;
    if (a->count != b->count) return 0;
    for (uint32_t i = 0; i < a->count; i++) {
        double ratio = log2((double)a->sizes[i]) - log2((double)b->sizes[i]);
        sum += ratio * ratio;
    }
    return sqrt(sum);
}
