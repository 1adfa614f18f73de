/* The tuning database: what is kept, found again and carried elsewhere; and what becomes of it when
 * its file is damaged, locked, read only, too new, another program's, or on a full disk. */
#include "folder.h"

#include <fcntl.h>
#include <math.h>
#include <sys/wait.h>

#include "database/database_file.h"

static hed_error error;
static char last_warning[2048];
static int warnings;

static void remember(void *user, hed_log_level level, const char *message)
{
    (void)user;
    if (level > HED_LOG_WARNING) return;
    snprintf(last_warning, sizeof last_warning, "%s", message);
    warnings++;
}

TestSuite(database, .init = folder_make, .fini = folder_remove);

/* ---- a kernel and its devices ---- */

static const int64_t groups[] = {32, 64, 128, 256}, tiles[] = {1, 2, 4};
static const char *const tile_names[] = {"one", "a pair", "50%=4"};
static const hed_parameter_def parameters[] = {
    {"WG", groups, 4, 64, NULL}, {"TILE", tiles, 3, 1, tile_names}};
static const char *const dimensions[] = {"width", "height"};
static const hed_device_info h200 = {.id = "cuda:0", .backend = "cuda", .platform = "NVIDIA CUDA",
    .name = "NVIDIA H200", .vendor = "NVIDIA", .driver = "550.1", .type = HED_DEVICE_GPU,
    .compute_units = 132, .architecture = 90};

static hed_tune_key key_of(const hed_device_info *device, int64_t width, int64_t height)
{
    hed_tune_key key = {.kernel = "blur", .source = "00112233445566778899aabbccddeeff",
        .device = device, .compiler = "nvrtc 12.4", .dimension_count = 2, .dimensions = dimensions,
        .problem = hed_problem_2d(width, height), .parameters = parameters, .parameter_count = 2};
    return key;
}

static hed_evaluation measured(int64_t group, int64_t tile, double seconds)
{
    return (hed_evaluation){.config = {2, {group, tile}}, .outcome = HED_OUTCOME_MEASURED,
        .seconds = seconds, .low = seconds * 0.99, .high = seconds * 1.01, .runs = 7,
        .build_seconds = 0.5, .at = 1.25, .error = NAN};
}

static hed_context *open_context(const char *database)
{
    hed_context *context;
    hed_context_def def = hed_default_context_def();
    def.logger = (hed_logger){.log = remember, .level = HED_LOG_WARNING};
    def.opencl_library = def.cuda_library = def.cache_dir = "";
    def.host_threads = 1;
    def.database = database;
    warnings = 0;
    OK(hed_context_create(&def, &context, &error));
    return context;
}

static hed_database *open_database(hed_context *context, const char *path)
{
    hed_database *database;
    OK(hed_database_open(context, path, false, &database, &error));
    return database;
}

static int64_t begin(hed_database *database, const hed_tune_key *key)
{
    int64_t session;
    OK(hed_database_begin(database, key, "a test", &session, &error));
    CHECK(session > 0);
    return session;
}

static void record(
    hed_database *database, int64_t session, const hed_tune_key *key, hed_evaluation evaluation)
{
    OK(hed_database_record(database, session, key, &evaluation, &error));
}

/* One tuning: two configurations, the second is chosen. */
static void tune(hed_database *database, const hed_tune_key *key, int64_t group)
{
    int64_t session = begin(database, key);
    hed_evaluation best = measured(group, 2, 0.001);
    record(database, session, key, measured(64, 1, 0.004));
    record(database, session, key, best);
    OK(hed_database_choose(database, session, key, &best, &error));
}

static uint32_t history_count(hed_database *database, const hed_tune_key *key)
{
    hed_evaluation *evaluations;
    uint32_t count;
    OK(hed_database_history(database, key, &evaluations, &count, &error));
    hed_release(&database->allocator, evaluations, count * sizeof *evaluations);
    return count;
}

/* ---- keeping and finding ---- */

Test(database, what_was_measured_is_found_again)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_tune_key key = key_of(&h200, 512, 512), other = key_of(&h200, 256, 512);
    hed_database *database = open_database(context, NULL);
    int64_t session = begin(database, &key);
    hed_evaluation crashed = {.config = {2, {256, 4}}, .outcome = HED_OUTCOME_CRASHED,
                       .seconds = NAN, .low = NAN, .high = NAN, .error = NAN,
                       .text = "ended by signal 11"},
                   *found;
    uint32_t count;
    record(database, session, &key, measured(32, 1, 0.003));
    record(database, session, &key, crashed);
    record(database, session, &key, measured(32, 1, 0.002));
    hed_evaluation recalled = measured(128, 1, 0.1);
    recalled.recalled = true;
    record(database, session, &key, recalled);
    hed_database_close(database);
    database = open_database(context, NULL);
    OK(hed_database_history(database, &key, &found, &count, &error));
    CHECK_EQ(count, 2, "%u", count);
    EXPECT(found[0].outcome == HED_OUTCOME_CRASHED && found[0].config.values[0] == 256 &&
           found[0].config.values[1] == 4);
    EXPECT_TEXT(found[0].text, "ended by signal 11");
    EXPECT(isnan(found[0].seconds) && found[0].recalled);
    EXPECT(found[1].seconds == 0.002 && found[1].runs == 7 && found[1].at == 1.25 &&
               isnan(found[1].error),
        "the newer one");
    hed_release(&database->allocator, found, count * sizeof *found);
    EXPECT_EQ(history_count(database, &other), 0);
    hed_database_close(database);
    hed_context_destroy(context);
    EXPECT_EQ(warnings, 0, "%s", last_warning);
}

/* What a text's names say counts, not their order or number. */
Test(database, configurations_outlive_changes_of_the_parameters)
{
    static const int64_t more[] = {16, 32, 64, 128, 256, 512}, moved[] = {10, 20, 30};
    static const char *const moved_names[] = {"50%=4", "a pair", "one"};
    const hed_parameter_def later[] = {
        {"TILE", moved, 3, 10, moved_names}, {"WG", more, 6, 64, NULL}};
    hed_text text = {0};
    hed_config config = {2, {128, 4}}, read;
    hed_config_write(&text, parameters, 2, &config);
    EXPECT_TEXT(text.bytes, "WG=128 TILE=50%25%3D4");
    EXPECT(hed_config_read(text.bytes, later, 2, false, &read) && read.values[0] == 10 &&
           read.values[1] == 128);
    EXPECT(!hed_config_read("WG=128", parameters, 2, false, &read), "TILE is missing");
    EXPECT(hed_config_read("WG=128 OTHER=3", parameters, 2, true, &read) && read.values[0] == 128 &&
           read.values[1] == 1);
    EXPECT(!hed_config_read("WG=129 TILE=2", parameters, 2, false, &read), "no such value");
    EXPECT(!hed_config_read("WG=128 WG=128 TILE=2", parameters, 2, false, &read));
    EXPECT(hed_config_read("WG=128 TILE=2", parameters, 2, false, &read) && read.values[1] == 2,
        "a number where a label stood");
    EXPECT(!hed_config_read("WG=128 TILE= WG", parameters, 2, false, &read));
    hed_text_free(&text);
}

Test(database, sources_come_nearest_first)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = open_database(context, NULL);
    hed_device_info old_driver = h200, h100 = h200, amd = h200;
    old_driver.driver = "535.1";
    h100.name = "NVIDIA H100";
    amd.name = "MI300X";
    amd.vendor = "AMD";
    amd.architecture = 0;
    hed_tune_key own = key_of(&h200, 512, 512),
                 keys[] = {key_of(&amd, 512, 512), key_of(&h100, 512, 512),
                     key_of(&h200, 4096, 512), key_of(&h200, 1024, 512),
                     key_of(&old_driver, 512, 512), key_of(&h200, 512, 512)};
    memcpy(keys[5].source, "ffffffffffffffffffffffffffffffff", 32); /* an earlier text */
    static const int64_t group[] = {32, 64, 128, 256, 64, 128}, tile[] = {1, 1, 1, 1, 4, 4};
    for (int i = 0; i < 6; i++) {
        int64_t session = begin(database, &keys[i]);
        record(database, session, &keys[i], measured(32, 2, 0.5));
        record(database, session, &keys[i], measured(group[i], tile[i], 0.1));
    }
    int64_t session = begin(database, &own);
    record(database, session, &own, measured(256, 4, 0.01));
    hed_search_source *sources;
    uint32_t count;
    size_t bytes;
    OK(hed_database_flush(database, &error));
    OK(hed_database_sources(database, &own, 10, &sources, &count, &bytes, &error));
    static const int expected[] = {4, 3, 2, 1, 0, 5};
    CHECK_EQ(count, 6, "%u", count);
    for (uint32_t i = 0; i < count; i++) {
        const hed_config *best = &sources[i].configs[0];
        EXPECT(sources[i].count == 2 && best->values[0] == group[expected[i]] &&
                   best->values[1] == tile[expected[i]],
            "source %u: %u, best WG=%lld", i, sources[i].count, (long long)best->values[0]);
    }
    hed_release(&database->allocator, sources, bytes);
    OK(hed_database_sources(database, &own, 2, &sources, &count, &bytes, &error));
    EXPECT_EQ(count, 2);
    hed_release(&database->allocator, sources, bytes);
    hed_database_close(database);
    hed_context_destroy(context);
}

Test(database, facts)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = open_database(context, NULL);
    double value = 0;
    EXPECT(!hed_database_get_fact(database, &h200, "copy bytes/s", &value));
    OK(hed_database_put_fact(database, &h200, "copy bytes/s", 4e12, &error));
    OK(hed_database_put_fact(database, &h200, "copy bytes/s", 4.2e12, &error));
    EXPECT(hed_database_get_fact(database, &h200, "copy bytes/s", &value) && value == 4.2e12);
    hed_database_close(database);
    hed_context_destroy(context);
}

/* ---- choices ---- */

static void expect_choice(const hed_choices *choices, int64_t width, int64_t height, uint32_t rank,
    int64_t group, hed_config_origin expected)
{
    hed_problem problem = hed_problem_2d(width, height);
    hed_config config;
    hed_config_origin configured;
    CHECK(hed_choices_find(choices, &problem, rank, &config, &configured));
    EXPECT(config.values[0] == group && configured == expected, "%lld x %lld, rank %u: WG=%lld, %s",
        (long long)width, (long long)height, rank, (long long)config.values[0],
        hed_config_origin_name(configured));
}

Test(database, choices_in_the_order_of_resolution)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_device_info old_driver = h200, h100 = h200, l40 = h200, amd = h200;
    old_driver.driver = "535.1";
    h100.name = "NVIDIA H100";
    l40.name = "L40";
    l40.vendor = "NVIDIA Corporation";
    l40.architecture = 89;
    amd.vendor = "AMD";
    amd.architecture = 0;
    amd.name = "MI300X";
    hed_tune_key exact = key_of(&h200, 512, 512), near = key_of(&h200, 1024, 512),
                 driver = key_of(&old_driver, 512, 512), architecture = key_of(&h100, 512, 512),
                 vendor = key_of(&l40, 512, 512), foreign = key_of(&amd, 512, 512),
                 strict = key_of(&h200, 512, 512);
    strict.math = HED_MATH_STRICT;
    tune(database, &foreign, 32);
    tune(database, &strict, 32);
    hed_choices *choices = hed_choices_load(context, &exact);
    EXPECT_NULL(choices, "nothing of another vendor or math mode");
    tune(database, &vendor, 32);
    tune(database, &architecture, 64);
    tune(database, &near, 128);
    tune(database, &driver, 256);
    choices = hed_choices_load(context, &exact);
    expect_choice(choices, 512, 512, 0, 256, HED_ORIGIN_OTHER_DRIVER);
    expect_choice(choices, 512, 512, 1, 128, HED_ORIGIN_NEAR_SIZE);
    expect_choice(choices, 512, 512, 2, 64, HED_ORIGIN_SAME_ARCHITECTURE);
    expect_choice(choices, 512, 512, 3, 32, HED_ORIGIN_SAME_VENDOR);
    expect_choice(choices, 1024, 512, 0, 128, HED_ORIGIN_EXACT);
    expect_choice(choices, 2000, 500, 0, 128, HED_ORIGIN_NEAR_SIZE);
    expect_choice(choices, 500, 500, 0, 256, HED_ORIGIN_NEAR_SIZE);
    hed_problem problem = hed_problem_2d(512, 512);
    hed_config config;
    hed_config_origin configured;
    EXPECT(!hed_choices_find(choices, &problem, 4, &config, &configured));
    EXPECT(hed_choices_find(choices, NULL, 0, &config, &configured) &&
           configured == HED_ORIGIN_NEAR_SIZE);
    hed_choices_free(choices);
    tune(database, &exact, 32);
    choices = hed_choices_load(context, &exact);
    expect_choice(choices, 512, 512, 0, 32, HED_ORIGIN_EXACT);
    expect_choice(choices, 512, 512, 1, 256, HED_ORIGIN_OTHER_DRIVER);
    hed_choices_free(choices);
    hed_context_destroy(context);
}

/* Tunings with numbers of the work are kept apart, and a launch by the kernel's name finds them: after those of
 * the name itself, the newest first. Another kernel whose name only begins so stays hidden. */
Test(database, choices_with_numbers_are_found_by_the_name)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key plain = key_of(&h200, 512, 512), three = plain, five = plain, other = plain;
    char names[3][64];
    snprintf(names[0], sizeof names[0], "%s radius=3", plain.kernel);
    snprintf(names[1], sizeof names[1], "%s radius=5", plain.kernel);
    snprintf(names[2], sizeof names[2], "%s_wide", plain.kernel);
    three.kernel = names[0];
    five.kernel = names[1];
    other.kernel = names[2];
    tune(database, &other, 256);
    CHECK_NULL(hed_choices_load(context, &plain));
    tune(database, &five, 64);
    tune(database, &three, 32);
    hed_choices *choices = hed_choices_load(context, &plain);
    expect_choice(choices, 512, 512, 0, 32, HED_ORIGIN_EXACT);
    expect_choice(choices, 512, 512, 1, 64, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    choices = hed_choices_load(context, &five);
    expect_choice(choices, 512, 512, 0, 64, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    tune(database, &plain, 128);
    choices = hed_choices_load(context, &plain);
    expect_choice(choices, 512, 512, 0, 128, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    hed_context_destroy(context);
}

/* Two sizes that are equally far: always the newer choice, however often it is asked. */
Test(database, ties_of_sizes_have_one_answer)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key below = key_of(&h200, 256, 512), above = key_of(&h200, 1024, 512);
    tune(database, &below, 32);
    tune(database, &above, 256);
    for (int i = 0; i < 5; i++) {
        hed_choices *choices = hed_choices_load(context, &below);
        expect_choice(choices, 512, 512, 0, 256, HED_ORIGIN_NEAR_SIZE);
        expect_choice(choices, 512, 512, 1, 32, HED_ORIGIN_NEAR_SIZE);
        hed_choices_free(choices);
    }
    hed_context_destroy(context);
}

Test(database, only_what_was_measured_is_chosen)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key key = key_of(&h200, 512, 512);
    int64_t session = begin(database, &key);
    hed_evaluation evaluation = measured(64, 1, 0.1);
    evaluation.outcome = HED_OUTCOME_WRONG;
    FAILS(HED_ERROR_ARGUMENT, hed_database_choose(database, session, &key, &evaluation, &error));
    evaluation = measured(64, 1, 0);
    FAILS(HED_ERROR_ARGUMENT, hed_database_choose(database, session, &key, &evaluation, &error));
    hed_context_destroy(context);
}

/* The newest tuning wins though the clock says that it was before. */
Test(database, a_clock_that_steps_back_decides_nothing)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key key = key_of(&h200, 512, 512);
    hed_evaluation *found;
    uint32_t count;
    tune(database, &key, 128);
    OK(hed_database_enter(database, &error));
    OK(hed_database_run(database, &error, "UPDATE session SET begun = 99999999999", ""));
    hed_database_leave(database);
    tune(database, &key, 256);
    int64_t session = begin(database, &key);
    record(database, session, &key, measured(64, 1, 0.0005));
    hed_choices *choices = hed_choices_load(context, &key);
    expect_choice(choices, 512, 512, 0, 256, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    OK(hed_database_history(database, &key, &found, &count, &error));
    EXPECT(count == 3 && found[2].config.values[0] == 64 && found[2].seconds == 0.0005);
    hed_release(&database->allocator, found, count * sizeof *found);
    hed_context_destroy(context);
}

/* ---- none, or none that works: launches go on ---- */

Test(database, none_is_wanted)
{
    hed_context *context = open_context("");
    hed_tune_key key = key_of(&h200, 512, 512);
    hed_database *database;
    EXPECT_NULL(hed_context_database(context));
    EXPECT_NULL(hed_choices_load(context, &key));
    EXPECT_EQ(warnings, 0);
    FAILS(HED_ERROR_IO, hed_database_open(context, NULL, false, &database, &error));
    EXPECT(strstr(error.text, "HEDDLE_DATABASE"));
    hed_context_destroy(context);
}

Test(database, looking_for_choices_makes_no_file)
{
    const char *path = in_folder("new/a.db");
    hed_context *context = open_context(path);
    hed_tune_key key = key_of(&h200, 512, 512);
    EXPECT_NULL(hed_choices_load(context, &key));
    EXPECT(access(in_folder("new"), F_OK) != 0);
    CHECK_NOT_NULL(hed_context_database(context));
    EXPECT(access(path, F_OK) == 0);
    hed_context_destroy(context);
}

static void fill(const char *path, int tunings)
{
    hed_context *context = open_context(path);
    hed_database *database = hed_context_database(context);
    for (int i = 0; i < tunings; i++) {
        hed_tune_key key = key_of(&h200, 512, 512 << i % 20);
        tune(database, &key, 128);
    }
    hed_context_destroy(context);
}

static char *read_bytes(const char *path, size_t *size)
{
    char *bytes;
    OK(hed_path_read(NULL, path, 1 << 26, &bytes, size, &error));
    return bytes;
}

/* A file that is no database is renamed, with everything that was in it, and a new one works at
 * once. */
static void expect_set_aside(const char *path, const char *aside, const void *bytes, size_t size)
{
    write_file(path, bytes, size);
    hed_context *context = open_context(path);
    hed_tune_key key = key_of(&h200, 512, 512);
    EXPECT_NULL(hed_choices_load(context, &key));
    CHECK_EQ(warnings, 1, "%d: %s", warnings, last_warning);
    EXPECT(strstr(last_warning, aside), "%s", last_warning);
    tune(hed_context_database(context), &key, 256);
    hed_choices *choices = hed_choices_load(context, &key);
    expect_choice(choices, 512, 512, 0, 256, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    hed_context_destroy(context);
    size_t kept;
    char *there = read_bytes(aside, &kept);
    EXPECT(kept == size && memcmp(there, bytes, size) == 0,
        "what was set aside is not what was there");
    hed_release(NULL, there, kept + 1);
}

Test(database, damaged_files_are_set_aside)
{
    const char *path = in_folder("a.db");
    size_t size;
    fill(path, 40);
    char *bytes = read_bytes(path, &size);
    expect_set_aside(path, in_folder("a.db.damaged-1"), bytes, size / 2);
    expect_set_aside(path, in_folder("a.db.damaged-2"), "this was never a database", 25);
    memset(bytes + 4096, 0xff, 4096); /* the second page */
    expect_set_aside(path, in_folder("a.db.damaged-3"), bytes, size);
    hed_release(NULL, bytes, size + 1);
}

Test(database, an_empty_file_is_a_new_one)
{
    write_file(in_folder("a.db"), "", 0);
    fill(in_folder("a.db"), 1);
    EXPECT_EQ(warnings, 0, "%s", last_warning);
}

/* Runs SQL on a file behind the library's back. */
static void tamper(const char *path, const char *sql)
{
    sqlite3 *handle;
    char *reason = NULL;
    CHECK_EQ(sqlite3_open(path, &handle), SQLITE_OK);
    CHECK_EQ(sqlite3_exec(handle, sql, NULL, NULL, &reason), SQLITE_OK, "%s", reason);
    sqlite3_close(handle);
}

static void expect_left_alone(const char *path, const char *words)
{
    hed_database *database;
    size_t size, later_size;
    char *bytes = read_bytes(path, &size), *later;
    hed_context *context = open_context(path);
    hed_tune_key key = key_of(&h200, 512, 512);
    EXPECT_NULL(hed_choices_load(context, &key));
    EXPECT(warnings == 1 && strstr(last_warning, words), "%s", last_warning);
    FAILS(HED_ERROR_FORMAT, hed_database_open(context, path, false, &database, &error));
    hed_context_destroy(context);
    later = read_bytes(path, &later_size);
    EXPECT(size == later_size && memcmp(bytes, later, size) == 0, "it was changed");
    hed_release(NULL, bytes, size + 1);
    hed_release(NULL, later, later_size + 1);
}

Test(database, from_a_newer_heddle)
{
    fill(in_folder("a.db"), 1);
    tamper(in_folder("a.db"), "PRAGMA user_version = 1000; CREATE TABLE later(x)");
    expect_left_alone(in_folder("a.db"), "newer");
}

Test(database, of_another_program)
{
    tamper(
        in_folder("a.db"), "CREATE TABLE bookmarks(url TEXT); INSERT INTO bookmarks VALUES('x')");
    expect_left_alone(in_folder("a.db"), "another program");
}

/* A file whose schema is not what its version says is damaged, though every page of it is whole. */
Test(database, versions_and_tables_that_do_not_fit)
{
    static const char *const changes[] = {"DROP TABLE choice", "PRAGMA user_version = -5",
        "PRAGMA user_version = 1", "PRAGMA user_version = 0"};
    for (int i = 0; i < 4; i++) {
        char aside[64];
        snprintf(aside, sizeof aside, "a.db.damaged-%d", i + 1);
        fill(in_folder("a.db"), 1);
        EXPECT_EQ(warnings, 0, "%s", last_warning);
        tamper(in_folder("a.db"), changes[i]);
        hed_context *context = open_context(in_folder("a.db"));
        hed_tune_key key = key_of(&h200, 512, 512);
        EXPECT_NULL(hed_choices_load(context, &key), "%s", changes[i]);
        EXPECT(access(in_folder(aside), F_OK) == 0, "%s", changes[i]);
        hed_context_destroy(context);
    }
}

/* As the first version wrote it, by hand. */
static const char version_1[] =
    "CREATE TABLE device(id INTEGER PRIMARY KEY, backend TEXT NOT NULL, platform TEXT NOT NULL, name TEXT NOT NULL,"
    " vendor TEXT NOT NULL, type TEXT NOT NULL, architecture INTEGER NOT NULL, compute_units INTEGER NOT NULL,"
    " UNIQUE(backend, platform, name, vendor, type, architecture, compute_units)) STRICT;"
    "CREATE TABLE key(id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, source TEXT NOT NULL, math TEXT NOT NULL,"
    " objective TEXT NOT NULL, device INTEGER NOT NULL REFERENCES device(id), driver TEXT NOT NULL, compiler TEXT "
    "NOT NULL,"
    " problem TEXT NOT NULL, UNIQUE(kernel, source, math, objective, device, driver, compiler, problem)) STRICT;"
    "CREATE TABLE session(id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE, key INTEGER NOT NULL"
    " REFERENCES key(id), settings TEXT NOT NULL, version TEXT NOT NULL, begun INTEGER NOT NULL) STRICT;"
    "CREATE INDEX session_of_key ON session(key);"
    "CREATE TABLE measurement(session INTEGER NOT NULL REFERENCES session(id), number INTEGER NOT NULL, config TEXT "
    "NOT NULL,"
    " outcome TEXT NOT NULL, seconds REAL, low REAL, high REAL, runs INTEGER NOT NULL, build_seconds REAL, at REAL,"
    " deviation REAL, text TEXT NOT NULL, PRIMARY KEY(session, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE choice(id INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL UNIQUE REFERENCES key(id), "
    "session INTEGER"
    " NOT NULL REFERENCES session(id), config TEXT NOT NULL, seconds REAL NOT NULL, low REAL, high REAL) STRICT;"
    "INSERT INTO device VALUES(1, 'cuda', 'NVIDIA CUDA', 'NVIDIA H200', 'NVIDIA', 'gpu', 90, 132);"
    "INSERT INTO key VALUES(1, 'blur', '00112233445566778899aabbccddeeff', 'fast', 'time', 1, '550.1', 'nvrtc 12.4',"
    " 'width=512 height=512');"
    "INSERT INTO session VALUES(1, '0123456789abcdef0123456789abcdef', 1, 'old', '0.1.0', 1700000000);"
    "INSERT INTO measurement VALUES(1, 1, 'WG=256 TILE=one', 'measured', 0.5, 0.4, 0.6, 7, 0.1, 0.2, NULL, '');"
    "INSERT INTO choice VALUES(1, 1, 1, 'WG=256 TILE=one', 0.5, 0.4, 0.6);"
    "PRAGMA application_id = 0x4845444c; PRAGMA user_version = 1;";

Test(database, an_older_version_is_brought_up_to_date)
{
    tamper(in_folder("a.db"), version_1);
    hed_context *context = open_context(in_folder("a.db"));
    hed_tune_key key = key_of(&h200, 512, 512);
    hed_choices *choices = hed_choices_load(context, &key);
    expect_choice(choices, 512, 512, 0, 256, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    hed_database *database = hed_context_database(context);
    EXPECT_EQ(history_count(database, &key), 1);
    OK(hed_database_put_fact(database, &h200, "copy bytes/s", 1, &error));
    tune(database, &key, 32);
    EXPECT_EQ(history_count(database, &key), 3);
    hed_context_destroy(context);
    EXPECT_EQ(warnings, 0, "%s", last_warning);
}

/* Such a file may also lie where nothing can be written. */
Test(database, an_older_version_that_is_only_read)
{
    size_t size, later_size;
    tamper(in_folder("a.db"), version_1);
    char *bytes = read_bytes(in_folder("a.db"), &size), *later;
    hed_context *context = open_context("");
    hed_database *database;
    hed_tune_key key = key_of(&h200, 512, 512);
    int64_t session;
    OK(hed_database_open(context, in_folder("a.db"), true, &database, &error));
    EXPECT_EQ(history_count(database, &key), 1);
    FAILS(HED_ERROR_IO, hed_database_begin(database, &key, "", &session, &error));
    hed_database_close(database);
    hed_context_destroy(context);
    later = read_bytes(in_folder("a.db"), &later_size);
    EXPECT(size == later_size && memcmp(bytes, later, size) == 0, "it was changed");
    hed_release(NULL, bytes, size + 1);
    hed_release(NULL, later, later_size + 1);
}

/* ---- faults of the disk ---- */

Test(database, a_full_disk_is_told_of_once)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key key = key_of(&h200, 512, 512);
    int64_t session = begin(database, &key), other;
    hed_evaluation best = measured(64, 1, 0.1);
    OK(hed_database_enter(database, &error));
    OK(hed_database_run(database, &error, "PRAGMA max_page_count = 1",
        "")); /* as large as it is now, and no larger */
    hed_database_leave(database);
    for (int i = 0; i < 2000; i++)
        record(database, session, &key, measured(groups[i % 4], tiles[i % 3], 0.1 + i));
    EXPECT_EQ(warnings, 1, "%d warnings", warnings);
    FAILS(HED_ERROR_IO, hed_database_flush(database, &error));
    EXPECT(strstr(error.text, "full"), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_database_choose(database, session, &key, &best, &error));
    hed_error_clear(&error);
    EXPECT_EQ(hed_database_begin(database, &key, "it may be small enough", &other, &error), HED_OK,
        "%s", error.text);
    EXPECT_EQ(warnings, 1, "%d warnings", warnings);
    OK(hed_database_enter(database, &error));
    /* room again: nothing was lost */
    OK(hed_database_run(database, &error, "PRAGMA max_page_count = 100000 ", ""));
    hed_database_leave(database);
    OK(hed_database_flush(database, &error));
    EXPECT_EQ(history_count(database, &key), 12);
    hed_context_destroy(context);
}

Test(database, locked_by_another_process)
{
    sqlite3 *other;
    fill(in_folder("a.db"), 1);
    CHECK_EQ(sqlite3_open(in_folder("a.db"), &other), SQLITE_OK);
    CHECK_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    hed_context *context = open_context(in_folder("a.db"));
    hed_tune_key key = key_of(&h200, 512, 512);
    EXPECT_NULL(hed_choices_load(context, &key));
    EXPECT(warnings == 1 && strstr(last_warning, "another process"), "%s", last_warning);
    EXPECT(access(in_folder("a.db.damaged-1"), F_OK) != 0, "a lock is no damage");
    CHECK_EQ(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    CHECK_NOT_NULL(hed_context_database(context), "it works as soon as it is free");
    hed_choices *choices = hed_choices_load(context, &key);
    expect_choice(choices, 512, 512, 0, 128, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    hed_context_destroy(context);
}

/* SQLite's sleeps, us: they are counted and not slept. */
static long long slept;

static int count_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    slept += microseconds;
    return microseconds;
}

static sqlite3_vfs counting;

static void count_sleeps(void)
{
    counting = *sqlite3_vfs_find(NULL);
    counting.pNext = NULL;
    counting.zName = "counting";
    counting.xSleep = count_sleep;
    CHECK_EQ(sqlite3_vfs_register(&counting, 1), SQLITE_OK);
    slept = 0;
}

/* Starts a process that holds a lock until it is killed. `first`, `count`: bytes that SQLite locks, from 1 GiB on. */
static pid_t hold(const char *path, int first, int count)
{
    int ready[2];
    char byte;
    CHECK_EQ(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct flock lock = {
            .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000 + first, .l_len = count};
        int file = open(path, O_RDWR | O_CLOEXEC);
        if (file < 0 || fcntl(file, F_SETLK, &lock) || write(ready[1], "", 1) != 1) _exit(1);
        for (;;) pause();
    }
    close(ready[1]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void release(pid_t holder)
{
    kill(holder, SIGKILL);
    CHECK_EQ(waitpid(holder, NULL, 0), holder);
}

/* A tuning tells the database of each result, and would wait for the lock each time. */
Test(database, a_lock_that_stays_is_waited_for_once)
{
    char words[32];
    fill(in_folder("a.db"), 1);
    count_sleeps();
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key key = key_of(&h200, 512, 1024);
    hed_evaluation best = measured(64, 1, 0.1);
    int64_t session = begin(database, &key);
    pid_t holder = hold(in_folder("a.db"), 1, 1); /* the lock of a transaction that writes */
    slept = 0;
    for (int i = 0; i < 20; i++) {
        record(database, session, &key, measured(groups[i % 4], tiles[i % 3], 0.1 + i));
        FAILS(HED_ERROR_IO, hed_database_flush(database, &error));
    }
    EXPECT(slept >= 1000 * HED_WRITE_PATIENCE / 2 && slept < 1000 * HED_WRITE_PATIENCE * 3 / 2,
        "%lld us", slept);
    snprintf(words, sizeof words, "process %d holds it", (int)holder);
    EXPECT(warnings == 1 && strstr(last_warning, words), "%s", last_warning);
    slept = 0;
    FAILS(HED_ERROR_IO, hed_database_choose(database, session, &key, &best, &error));
    EXPECT(slept >= 1000 * HED_WRITE_PATIENCE / 2, "a choice is waited for: %lld us", slept);
    release(holder);
    OK(hed_database_flush(database, &error));
    EXPECT_EQ(history_count(database, &key), 12, "results of the wait are kept");
    hed_context_destroy(context);
}

Test(database, opening_waits_once_for_a_lock_that_stays)
{
    fill(in_folder("a.db"), 1);
    hed_context *context = open_context(in_folder("a.db"));
    pid_t holder = hold(in_folder("a.db"), 0, 512);
    count_sleeps();
    for (int i = 0; i < 5; i++) EXPECT_NULL(hed_context_database(context));
    EXPECT(slept >= 1000 * HED_WRITE_PATIENCE / 2 && slept < 1000 * HED_WRITE_PATIENCE * 3 / 2,
        "%lld us", slept);
    EXPECT_EQ(warnings, 1, "%s", last_warning);
    release(holder);
    CHECK_NOT_NULL(hed_context_database(context));
    hed_context_destroy(context);
}

Test(database, a_folder_that_can_only_be_read)
{
    fill(in_folder("a.db"), 1);
    CHECK_EQ(chmod(in_folder("a.db"), 0444), 0);
    CHECK_EQ(chmod(folder, 0555), 0);
    if (getuid() == 0) CHECK_EQ(seteuid(65534), 0); /* root may write everywhere */
    hed_context *context = open_context(in_folder("a.db"));
    hed_tune_key key = key_of(&h200, 512, 512);
    int64_t session;
    hed_choices *choices = hed_choices_load(context, &key);
    expect_choice(choices, 512, 512, 0, 128, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    FAILS(HED_ERROR_IO,
        hed_database_begin(hed_context_database(context), &key, "", &session, &error));
    EXPECT(strstr(error.text, "permissions"), "%s", error.text);
    hed_context_destroy(context);
    context = open_context(in_folder("none/b.db"));
    EXPECT_NULL(hed_context_database(context));
    EXPECT_EQ(warnings, 1);
    hed_context_destroy(context);
    if (getuid() == 0) CHECK_EQ(seteuid(0), 0);
    chmod(folder, 0755);
}

static void expect_not_loaded(const char *word)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_tune_key key = key_of(&h200, 512, 512);
    EXPECT_NULL(hed_context_database(context), "%s", word);
    EXPECT_NULL(hed_choices_load(context, &key));
    EXPECT(warnings >= 1 && strstr(last_warning, "not loaded") && strstr(last_warning, word), "%s",
        last_warning);
    warnings = 0;
    hed_context_destroy(context);
}

/* A database decides on what kernels do: what another user could have put there is not believed,
 * and stays as it is. */
Test(database, what_others_may_write_is_not_loaded)
{
    struct stat about;
    umask(0);
    fill(in_folder("a.db"), 1);
    CHECK(stat(in_folder("a.db"), &about) == 0 && (about.st_mode & 0777) == 0644, "mode %o",
        about.st_mode);
    CHECK_EQ(chmod(in_folder("a.db"), 0666), 0);
    expect_not_loaded("others may write it");
    CHECK_EQ(chmod(in_folder("a.db"), 0600), 0);
    CHECK_EQ(chmod(folder, 0777), 0);
    expect_not_loaded("folder");
    /* as /tmp: others cannot replace the file, but add a journal */
    CHECK_EQ(chmod(folder, 01777), 0);
    expect_not_loaded("folder");
    CHECK_EQ(chmod(folder, 0755), 0);
    static const char *const beside[] = {"a.db-journal", "a.db-wal"};
    for (int i = 0; i < 2; i++) {
        write_file(in_folder(beside[i]), "", 0);
        CHECK_EQ(chmod(in_folder(beside[i]), 0666), 0);
        expect_not_loaded(beside[i]);
        CHECK_EQ(unlink(in_folder(beside[i])), 0);
    }
    CHECK_EQ(rename(in_folder("a.db"), in_folder("b.db")), 0);
    CHECK_EQ(symlink("b.db", in_folder("a.db")), 0);
    expect_not_loaded("symbolic link");
    CHECK_EQ(rename(in_folder("b.db"), in_folder("a.db")), 0);
    hed_context *context = open_context(in_folder("a.db"));
    hed_tune_key key = key_of(&h200, 512, 512);
    hed_choices *choices = hed_choices_load(context, &key);
    expect_choice(choices, 512, 512, 0, 128, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    hed_context_destroy(context);
}

/* ---- damage while it is in use ---- */

/* When a page is spoiled: before each of these steps. */
typedef enum damage_step {
    AT_OPEN,
    AT_READ,
    AT_WRITE,
    AT_COMMIT,
    AT_CHOICE,
    DAMAGE_STEPS
} damage_step;
static const char *const step_names[] = {"open", "read", "write", "commit", "choice"};

typedef struct damage {
    damage_step step;
    size_t offset, size;
    const void *bytes;
} damage;

static void damage_spoil(const damage *d)
{
    int file = open(in_folder("a.db"), O_WRONLY | O_CLOEXEC);
    CHECK_EQ(pwrite(file, d->bytes, d->size, (off_t)d->offset), (ssize_t)d->size);
    close(file);
}

/* Runs inside a transaction, before it is committed. */
static int damage_at_commit(void *user)
{
    damage_spoil(user);
    return 0;
}

/* Tunes with 20 measurements and a choice, and the damage at its step; gives whether all are said
 * to be kept. Commits are not synced: thousands of them would be. */
static hed_status tune_through(const damage *d, const hed_tune_key *key)
{
    hed_evaluation *history, best = measured(256, 4, 0.0005);
    uint32_t count;
    if (d->step == AT_OPEN) damage_spoil(d);
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = open_database(context, NULL);
    sqlite3_exec(database->handle, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    int64_t session = begin(database, key);
    for (int i = 0; i < 10; i++)
        record(database, session, key, measured(groups[i % 4], tiles[i / 4], 0.001 + i));
    hed_database_flush(database, NULL);
    if (d->step == AT_READ) damage_spoil(d);
    if (!hed_database_history(database, key, &history, &count, NULL))
        hed_release(&database->allocator, history, count * sizeof *history);
    if (d->step == AT_COMMIT)
        sqlite3_commit_hook(database->handle, damage_at_commit, (void *)(uintptr_t)d);
    if (d->step == AT_WRITE) damage_spoil(d);
    for (int i = 0; i < 10; i++)
        record(database, session, key, measured(groups[i % 4], tiles[i / 4], 0.002 + i));
    hed_database_flush(database, NULL);
    if (d->step == AT_COMMIT && database->handle) sqlite3_commit_hook(database->handle, NULL, NULL);
    if (d->step == AT_CHOICE) damage_spoil(d);
    hed_database_choose(database, session, key, &best, NULL);
    hed_error_clear(&error);
    hed_status status = hed_database_confirm(database, &error);
    hed_database_close(database);
    hed_context_destroy(context);
    return status;
}

/* The next process finds all 20 measurements of the tuning, its choice, and a whole file. */
static void expect_all_kept(const hed_tune_key *key, const char *when)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = open_database(context, NULL);
    int64_t rows = 0;
    OK(hed_database_enter(database, &error));
    hed_database_check(database);
    CHECK_NOT(database->damaged, "%s: the file is still damaged", when);
    hed_database_integer(database, &rows, &error,
        "SELECT count(*) FROM measurement m JOIN session s ON s.id = m.session JOIN key k ON k.id ="
        " s.key WHERE k.kernel = ?",
        "t", key->kernel);
    hed_database_leave(database);
    CHECK_EQ(rows, 20, "%s: %lld of 20 measurements", when, (long long)rows);
    hed_choices *choices = hed_choices_load_from(database, key);
    expect_choice(choices, 512, 512, 0, 256, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    CHECK_EQ(warnings, 0, "%s: %s", when, last_warning);
    hed_database_close(database);
    hed_context_destroy(context);
}

static void remove_aside(void)
{
    for (int n = 1; n < 5; n++) {
        char name[64];
        snprintf(name, sizeof name, "a.db.damaged-%d", n);
        unlink(in_folder(name));
    }
}

/* 1.7 MB of earlier results, more than is read through at opening. */
static char *fill_large(size_t *size)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    for (int s = 0; s < 20; s++) {
        hed_tune_key key = key_of(&h200, 512, 512 << s);
        int64_t session = begin(database, &key);
        for (int i = 0; i < 1200; i++)
            record(database, session, &key, measured(groups[i % 4], tiles[i % 3], 1 + i));
    }
    hed_context_destroy(context);
    char *bytes = read_bytes(in_folder("a.db"), size);
    CHECK_GT(*size, 3u << 19);
    return bytes;
}

Test(database, results_survive_damage_at_each_step, .timeout = 300)
{
    size_t size;
    fill(in_folder("a.db"), 40);
    char *bytes = read_bytes(in_folder("a.db"), &size);
    hed_tune_key key = key_of(&h200, 512, 512);
    key.kernel = "new";
    static char garbage[1 << 20];
    memset(garbage, 0xa5, sizeof garbage);
    for (damage_step step = AT_OPEN; step < DAMAGE_STEPS; step++) {
        write_file(in_folder("a.db"), bytes, size);
        const damage all = {step, 4096, size - 4096, garbage}, head = {step, 0, 4096, garbage};
        OK(tune_through(&all, &key));
        EXPECT(strstr(last_warning, "a.db.damaged-1"), "%s: %s", step_names[step], last_warning);
        EXPECT(access(in_folder("a.db.damaged-1"), F_OK) == 0, "%s", step_names[step]);
        expect_all_kept(&key, step_names[step]);
        write_file(in_folder("a.db"), bytes, size);
        OK(tune_through(&head, &key));
        expect_all_kept(&key, step_names[step]);
        remove_aside();
    }
    hed_release(NULL, bytes, size + 1);
}

Test(database, results_survive_200_random_pages, .timeout = 600)
{
    enum { DAMAGES = 200 };
    static unsigned char garbage[4096];
    uint64_t random = 1;
    size_t size;
    int replaced = 0;
    char *bytes = fill_large(&size), when[64];
    hed_tune_key key = key_of(&h200, 512, 512);
    key.kernel = "new";
    for (int n = 0; n < DAMAGES; n++) {
        for (size_t i = 0; i < sizeof garbage; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            garbage[i] = n % 4 ? (unsigned char)(random >> 56) : 0;
        }
        damage d = {
            (damage_step)(n % DAMAGE_STEPS), (random >> 32) % (size / 4096) * 4096, 4096, garbage};
        snprintf(when, sizeof when, "page %zu at %s", d.offset / 4096, step_names[d.step]);
        write_file(in_folder("a.db"), bytes, size);
        OK(tune_through(&d, &key));
        replaced += access(in_folder("a.db.damaged-1"), F_OK) == 0;
        expect_all_kept(&key, when);
        remove_aside();
    }
    EXPECT_GT(replaced, DAMAGES * 9 / 10, "%d of %d were noticed", replaced, DAMAGES);
    hed_release(NULL, bytes, size + 1);
}

/* A file that is removed, or has made place for another, while it is in use. */
Test(database, results_survive_a_file_that_is_removed)
{
    for (int other = 0; other < 3; other++) {
        hed_context *context = open_context(in_folder("a.db"));
        hed_database *database = hed_context_database(context);
        hed_tune_key key = key_of(&h200, 512, 512);
        int64_t session = begin(database, &key);
        record(database, session, &key, measured(32, 1, 0.1));
        OK(hed_database_flush(database, &error));
        size_t size;
        char *bytes = read_bytes(in_folder("a.db"), &size);
        CHECK_EQ(unlink(in_folder("a.db")), 0);
        if (other) write_file(in_folder("a.db"), bytes, other == 1 ? 0 : size); /* 2: a copy of it */
        record(database, session, &key, measured(64, 1, 0.2));
        OK(hed_database_confirm(database, &error));
        hed_context_destroy(context);
        context = open_context(in_folder("a.db"));
        EXPECT_EQ(history_count(hed_context_database(context), &key), 2, "%d", other);
        hed_context_destroy(context);
        hed_release(NULL, bytes, size + 1);
        CHECK_EQ(unlink(in_folder("a.db")), 0);
    }
}

/* What cannot be replaced is reported, and waits: once it can be, nothing is missing. */
Test(database, damage_that_cannot_be_mended_is_an_error)
{
    static char garbage[1 << 18];
    size_t size;
    fill(in_folder("a.db"), 40);
    char *bytes = read_bytes(in_folder("a.db"), &size), name[64];
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key key = key_of(&h200, 512, 512);
    key.kernel = "new";
    int64_t session = begin(database, &key);
    for (int n = 1; n <= 1000; n++) { /* all names are taken */
        snprintf(name, sizeof name, "a.db.damaged-%d", n);
        write_file(in_folder(name), "", 0);
    }
    damage_spoil(&(damage){AT_WRITE, 0, size < sizeof garbage ? size : sizeof garbage, garbage});
    for (int i = 0; i < 200; i++) record(database, session, &key, measured(32, 1, 0.1));
    FAILS(HED_ERROR_IO, hed_database_flush(database, &error));
    EXPECT(strstr(error.text, "cannot be renamed"), "%s", error.text);
    hed_error_clear(&error);
    FAILS(HED_ERROR_IO, hed_database_confirm(database, &error));
    hed_error_clear(&error);
    EXPECT(warnings == 1 && strstr(last_warning, "not kept"), "%d: %s", warnings, last_warning);
    CHECK_EQ(unlink(in_folder("a.db.damaged-7")), 0);
    OK(hed_database_confirm(database, &error));
    EXPECT(access(in_folder("a.db.damaged-7"), F_OK) == 0);
    int64_t rows = 0;
    OK(hed_database_enter(database, &error));
    hed_database_integer(database, &rows, &error, "SELECT count(*) FROM measurement", "");
    hed_database_leave(database);
    EXPECT_EQ(rows, 200);
    hed_context_destroy(context);
    hed_release(NULL, bytes, size + 1);
}

/* A pipe would be waited for without end. */
Test(database, only_a_file_is_a_database, .timeout = 60)
{
    static const char *const names[] = {"a.db", "a.db-journal"};
    hed_database *database;
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(mkfifo(in_folder(names[i]), 0644), 0);
        expect_not_loaded("is a pipe; expected a file");
        hed_context *context = open_context("");
        FAILS(HED_ERROR_IO, hed_database_open(context, in_folder("a.db"), false, &database, &error));
        hed_error_clear(&error);
        hed_context_destroy(context);
        CHECK_EQ(unlink(in_folder(names[i])), 0);
        unlink(in_folder("a.db"));
    }
    CHECK_EQ(mkdir(in_folder("a.db"), 0755), 0);
    expect_not_loaded("is a folder; expected a file");
}

/* ---- what a choice tells ---- */

static hed_status take_choice(void *user, const hed_database_entry *entry, hed_error *unused)
{
    (void)unused;
    if (entry->kind == HED_RECORD_CHOICE) *(double *)user = entry->default_seconds;
    return HED_OK;
}

/* The gain is over the newest measurement of the default configuration, and outlives it. */
Test(database, a_choice_tells_what_the_default_took)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key key = key_of(&h200, 512, 512);
    double seconds = 0;
    tune(database, &key, 128);
    int64_t session = begin(database, &key);
    hed_evaluation best = measured(256, 1, 0.0005);
    record(database, session, &key, measured(64, 1, 0.003));
    OK(hed_database_choose(database, session, &key, &best, &error));
    OK(hed_database_each(database, NULL, take_choice, &seconds, &error));
    EXPECT_EQ(seconds, 0.003);
    OK(hed_database_prune(database, &(hed_prune_def){.keep_best = 1}, NULL, &error));
    OK(hed_database_each(database, NULL, take_choice, &seconds, &error));
    EXPECT_EQ(seconds, 0.003);
    hed_context_destroy(context);
}

/* A program with a search of its own. */
Test(database, a_program_keeps_what_it_has_found)
{
    static const char *const names[] = {"n"};
    const hed_kernel_def def = {.name = "own", .parameters = parameters, .parameter_count = 2,
        .dimensions = names, .dimension_count = 1};
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_device *device = hed_device_at(context, 0);
    const hed_problem problem = hed_problem_1d(100);
    const hed_config config = {2, {128, 4}};
    hed_kernel_options options = {.problem = &problem};
    hed_tune_key key;
    FAILS(HED_ERROR_ARGUMENT, hed_database_keep(database, device, &def, &options, 0.1, &error));
    options.config = &config;
    FAILS(HED_ERROR_ARGUMENT, hed_database_keep(database, device, &def, &options, NAN, &error));
    OK(hed_database_keep(database, device, &def, &options, 0.1, &error));
    hed_tune_key_of_kernel(
        device, &def, HED_MATH_FAST, NULL, 0, &problem, HED_OBJECTIVE_TIME, &key);
    hed_choices *choices = hed_choices_load(context, &key);
    hed_config found;
    hed_config_origin configured;
    CHECK(hed_choices_find(choices, &problem, 0, &found, &configured));
    EXPECT(configured == HED_ORIGIN_EXACT && found.values[0] == 128 && found.values[1] == 4);
    hed_choices_free(choices);
    hed_context_destroy(context);
}

/* ---- two writers ---- */

/* Runs in a process of its own, where an assertion would end nothing: gives the exit code, 0 if all
 * went well. */
static int write_200(const char *path, int64_t group)
{
    hed_context_def def = hed_default_context_def();
    hed_context *context;
    hed_tune_key key = key_of(&h200, 512, group);
    int64_t session;
    def.opencl_library = def.cuda_library = def.cache_dir = "";
    def.host_threads = 1;
    def.database = path;
    if (hed_context_create(&def, &context, &error)) return 1;
    hed_database *database = hed_context_database(context);
    if (!database || hed_database_begin(database, &key, "a test", &session, &error)) return 2;
    for (int i = 0; i < 200; i++) {
        const hed_evaluation evaluation = measured(group, 1, 1 + i);
        if (hed_database_record(database, session, &key, &evaluation, &error)) return 3;
        if (i % 20 == 0 && hed_database_flush(database, &error)) return 4;
    }
    if (hed_database_flush(database, &error)) return 5;
    hed_context_destroy(context);
    return 0;
}

/* The processes start together. */
static void write_in_processes(const char *path, int count)
{
    pid_t children[4];
    for (int p = 0; p < count; p++) {
        children[p] = fork();
        if (children[p] == 0) _exit(write_200(path, groups[p]));
    }
    for (int p = 0; p < count; p++) {
        int result;
        CHECK_EQ(waitpid(children[p], &result, 0), children[p]);
        EXPECT(WIFEXITED(result) && WEXITSTATUS(result) == 0, "process %d ended with %x", p,
            (unsigned)result);
    }
}

/* The file is not there yet: making it is part of the race. */
Test(database, two_processes_write_at_once)
{
    write_in_processes(in_folder("a.db"), 2);
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    int64_t count;
    OK(hed_database_enter(database, &error));
    CHECK(hed_database_integer(database, &count, &error, "SELECT count(*) FROM measurement", ""));
    hed_database_leave(database);
    EXPECT_EQ(count, 400, "%lld", (long long)count);
    hed_context_destroy(context);
}

/* Processes that find the same damaged file set it aside once, and nobody's new file with it. */
Test(database, several_processes_find_the_same_damage)
{
    write_file(in_folder("a.db"), "garbage and more garbage", 24);
    write_in_processes(in_folder("a.db"), 4);
    EXPECT(access(in_folder("a.db.damaged-1"), F_OK) == 0 &&
           access(in_folder("a.db.damaged-2"), F_OK) != 0);
    hed_context *context = open_context(in_folder("a.db"));
    for (int p = 0; p < 4; p++) {
        hed_tune_key key = key_of(&h200, 512, groups[p]);
        EXPECT_EQ(history_count(hed_context_database(context), &key), 1);
    }
    hed_context_destroy(context);
}

/* ---- from elsewhere, and away ---- */

static hed_status count_entry(void *user, const hed_database_entry *entry, hed_error *unused)
{
    hed_database_changes *count = user;
    (void)unused;
    count->keys += entry->kind == HED_RECORD_KEY;
    count->measurements += entry->kind == HED_RECORD_MEASUREMENT;
    count->choices += entry->kind == HED_RECORD_CHOICE;
    count->facts += entry->kind == HED_RECORD_FACT;
    return HED_OK;
}

static void expect_entries(
    hed_database *database, const hed_record_filter *filter, hed_database_changes expected)
{
    hed_database_changes count = {0};
    OK(hed_database_each(database, filter, count_entry, &count, &error));
    EXPECT(memcmp(&count, &expected, sizeof count) == 0,
        "%llu keys, %llu measurements, %llu choices, %llu facts", (unsigned long long)count.keys,
        (unsigned long long)count.measurements, (unsigned long long)count.choices,
        (unsigned long long)count.facts);
}

Test(database, merging_twice_adds_nothing)
{
    fill(in_folder("there.db"), 3);
    hed_context *context = open_context(in_folder("here.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key key = key_of(&h200, 512, 512);
    hed_database_changes added;
    tune(database, &key, 64); /* one of the three: it stays, since it cannot be told apart */
    OK(hed_database_merge(database, in_folder("there.db"), &added, &error));
    EXPECT(added.keys == 2 && added.measurements == 6 && added.choices == 2 && added.facts == 0);
    OK(hed_database_merge(database, in_folder("there.db"), &added, &error));
    EXPECT(added.keys == 0 && added.measurements == 0 && added.choices == 0 && added.facts == 0);
    hed_choices *choices = hed_choices_load(context, &key);
    expect_choice(choices, 512, 512, 0, 64, HED_ORIGIN_EXACT);
    expect_choice(choices, 512, 1024, 0, 128, HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    expect_entries(database, NULL, (hed_database_changes){3, 8, 3, 0});
    expect_entries(database, &(hed_record_filter){.kernel = "other"}, (hed_database_changes){0});
    expect_entries(database, &(hed_record_filter){.device = "h200", .kinds = HED_RECORD_CHOICE},
        (hed_database_changes){.choices = 3});
    FAILS(HED_ERROR_IO, hed_database_merge(database, in_folder("nowhere.db"), &added, &error));
    write_file(in_folder("garbage.db"), "garbage", 7);
    FAILS(HED_ERROR_FORMAT, hed_database_merge(database, in_folder("garbage.db"), &added, &error));
    EXPECT(access(in_folder("garbage.db"), F_OK) == 0, "another's file is only read");
    hed_context_destroy(context);
}

/* What is surely faster replaces a choice; what may be only luck does not. */
Test(database, a_merged_choice_wins_only_if_it_is_surely_faster)
{
    hed_tune_key key = key_of(&h200, 512, 512);
    const double seconds[] = {0.000995, 0.0005};
    for (int i = 0; i < 2; i++) {
        hed_context *there = open_context(in_folder("there.db"));
        int64_t session = begin(hed_context_database(there), &key);
        hed_evaluation better = measured(32, 1, seconds[i]);
        OK(hed_database_choose(hed_context_database(there), session, &key, &better, &error));
        hed_context_destroy(there);
        hed_context *context = open_context(in_folder("here.db"));
        hed_database *database = hed_context_database(context);
        if (i == 0) tune(database, &key, 256);
        OK(hed_database_merge(database, in_folder("there.db"), NULL, &error));
        hed_choices *choices = hed_choices_load(context, &key);
        expect_choice(choices, 512, 512, 0, i == 0 ? 256 : 32, HED_ORIGIN_EXACT);
        hed_choices_free(choices);
        hed_context_destroy(context);
    }
}

typedef struct feed {
    hed_database_entry entries[3];
    uint32_t next, count;
} feed;

static hed_status give_next(void *user, hed_database_entry *entry, bool *end, hed_error *unused)
{
    feed *f = user;
    (void)unused;
    *end = f->next == f->count;
    if (!*end) *entry = f->entries[f->next++];
    return HED_OK;
}

static const hed_database_entry good = {.kind = HED_RECORD_MEASUREMENT, .backend = "cuda",
    .platform = "NVIDIA CUDA", .device = "NVIDIA H200", .vendor = "NVIDIA", .type = HED_DEVICE_GPU,
    .architecture = 90, .compute_units = 132, .kernel = "blur",
    .source = "00112233445566778899aabbccddeeff", .math = "fast", .objective = "time",
    .driver = "550.1", .compiler = "nvrtc 12.4", .problem = "width=512 height=512",
    .session = "0123456789abcdef0123456789abcdef", .settings = "", .version = "0.1.0",
    .config = "WG=64 TILE=one", .seconds = 0.5, .low = 0.4, .high = 0.6, .number = 1,
    .outcome = "measured", .runs = 7, .deviation = NAN, .text = ""};

static void expect_refused(hed_database *database, const hed_database_entry *bad, const char *words)
{
    feed f = {.entries = {good, *bad}, .count = 2};
    FAILS(HED_ERROR_FORMAT, hed_database_import(database, give_next, &f, NULL, &error));
    EXPECT(strstr(error.text, words), "%s", error.text);
    expect_entries(database, NULL, (hed_database_changes){0});
}

Test(database, import_is_all_or_nothing)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_database_changes added;
    hed_database_entry bad = good;
    bad.outcome = "splendid";
    expect_refused(database, &bad, "outcome");
    bad = good, bad.source = "xyz";
    expect_refused(database, &bad, "source");
    bad = good, bad.seconds = -1;
    expect_refused(database, &bad, "seconds");
    bad = good, bad.low = 0.7;
    expect_refused(database, &bad, "seconds");
    bad = good, bad.math = NULL;
    expect_refused(database, &bad, "math");
    bad = good, bad.session = "";
    expect_refused(database, &bad, "session");
    bad = good, bad.number = 0;
    expect_refused(database, &bad, "number");
    bad = good, bad.problem = "width=512 height=513"; /* the same tuning under another key */
    expect_refused(database, &bad, "session");
    feed f = {.entries = {good, good, good}, .count = 3};
    f.entries[1].kind = HED_RECORD_CHOICE;
    f.entries[1].default_seconds = 1;
    f.entries[2].kind = HED_RECORD_FACT;
    f.entries[2].name = "copy bytes/s";
    f.entries[2].value = 1e12;
    OK(hed_database_import(database, give_next, &f, &added, &error));
    EXPECT(added.keys == 1 && added.measurements == 1 && added.choices == 1 && added.facts == 1);
    f.next = 0;
    OK(hed_database_import(database, give_next, &f, &added, &error));
    EXPECT(added.keys == 0 && added.measurements == 0 && added.choices == 0 && added.facts == 0);
    hed_context_destroy(context);
}

Test(database, pruning)
{
    hed_context *context = open_context(in_folder("a.db"));
    hed_database *database = hed_context_database(context);
    hed_tune_key key = key_of(&h200, 512, 512);
    hed_database_changes removed;
    int64_t session = begin(database, &key);
    hed_evaluation slow = measured(32, 4, 12), hung = measured(32, 2, NAN);
    hung.outcome = HED_OUTCOME_HUNG;
    for (int i = 0; i < 8; i++)
        record(database, session, &key, measured(groups[i % 4], tiles[i / 4], 1 + i));
    record(database, session, &key, hung);
    record(database, session, &key, slow);
    OK(hed_database_choose(database, session, &key, &slow, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_database_prune(database, &(hed_prune_def){0}, &removed, &error));
    OK(hed_database_prune(
        database, &(hed_prune_def){.keep_best = 3, .dry_run = true}, &removed, &error));
    EXPECT_EQ(removed.measurements, 5);
    expect_entries(database, NULL, (hed_database_changes){1, 10, 1, 0});
    OK(hed_database_prune(database, &(hed_prune_def){.keep_best = 3}, &removed, &error));
    EXPECT_EQ(removed.measurements, 5);
    expect_entries(database, NULL,
        (hed_database_changes){1, 5, 1, 0}); /* three, the choice's own, and the one that hung */
    OK(hed_database_prune(database, &(hed_prune_def){.older_seconds = 3600}, &removed, &error));
    EXPECT_EQ(removed.measurements, 0);
    OK(hed_database_prune(database, &(hed_prune_def){.kernel = "other"}, &removed, &error));
    EXPECT(removed.measurements == 0 && removed.choices == 0 && removed.keys == 0);
    OK(hed_database_enter(database, &error));
    OK(hed_database_run(database, &error, "UPDATE session SET begun = begun - 7200", ""));
    hed_database_leave(database);
    OK(hed_database_prune(database, &(hed_prune_def){.older_seconds = 3600}, &removed, &error));
    EXPECT_EQ(removed.measurements, 5);
    expect_entries(database, NULL, (hed_database_changes){1, 0, 1, 0}); /* choices stay */
    /* a tune file's kernel has its fixed arguments in its name, and is found without them */
    hed_tune_key fixed = key, longer = key;
    fixed.kernel = "blur radius=2";
    longer.kernel = "blurred";
    tune(database, &fixed, 64);
    tune(database, &longer, 64);
    expect_entries(database, &(hed_record_filter){.kernel = "blur", .kinds = HED_RECORD_CHOICE},
        (hed_database_changes){.choices = 2});
    OK(hed_database_prune(database, &(hed_prune_def){.kernel = "blur"}, &removed, &error));
    EXPECT(removed.choices == 2 && removed.keys == 2);
    expect_entries(database, &(hed_record_filter){.kinds = HED_RECORD_CHOICE},
        (hed_database_changes){.choices = 1});
    hed_context_destroy(context);
}

/* ---- memory ---- */

Test(database, each_allocation_failing)
{
    hed_context_def def = hed_default_context_def();
    hed_tune_key key = key_of(&h200, 512, 512), other = key_of(&h200, 1024, 512);
    test_allocator state = {0};
    int64_t n = 0, refused = 0;
    def.opencl_library = def.cuda_library = def.cache_dir = "";
    def.host_threads = 1;
    def.database = in_folder("a.db");
    fill(in_folder("a.db"), 3);
    do {
        hed_context *context;
        hed_database *database;
        state = (test_allocator){.fail_at = ++n};
        def.allocator = test_allocator_of(&state);
        hed_error_clear(&error);
        hed_status status = hed_context_create(&def, &context, &error);
        if (!status && !(status = hed_database_open(context, NULL, false, &database, &error))) {
            hed_evaluation *history, best = measured(256, 4, 0.0001);
            hed_search_source *sources;
            hed_choices *choices = hed_choices_load(context, &key);
            uint32_t count, source_count;
            size_t bytes;
            int64_t session = 0;
            status = hed_database_begin(database, &key, "", &session, &error);
            if (!status) status = hed_database_record(database, session, &key, &best, &error);
            if (!status) status = hed_database_choose(database, session, &key, &best, &error);
            hed_error_clear(&error);
            hed_status read = hed_database_history(database, &key, &history, &count, &error);
            hed_release(&def.allocator, history, count * sizeof *history);
            hed_error_clear(&error);
            hed_status found =
                hed_database_sources(database, &other, 5, &sources, &source_count, &bytes, &error);
            hed_release(&def.allocator, sources, bytes);
            hed_choices_free(choices);
            if (!status) status = read ? read : found;
            hed_database_close(database);
        }
        hed_context_destroy(context);
        CHECK(status == HED_OK || status == HED_ERROR_MEMORY, "allocation %lld: %s", (long long)n,
            error.text);
        refused += status != HED_OK;
        CHECK(state.live == 0 && state.bytes == 0, "allocation %lld: %lld are left", (long long)n,
            (long long)state.live);
    } while (state.calls >= n);
    EXPECT_GT(refused, 20);
}
