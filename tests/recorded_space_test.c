/* Recorded spaces: what is read, what is refused and in which words, and the score against figures
 * worked out by hand. */
#include "testing.h"

#include <sys/stat.h>
#include <math.h>
#include <zlib.h>

#include "folder.h"
#include "cli/tune/recorded.h"

static hed_error error;

static const char TEXT[] = "# device=Some GPU kernel=blur\n"
                           "# fixed: radius=2\n"
                           "# domain: size=8,16,32; flag=0,1\n"
                           "flag\tsize\ttime_ms\tsd_ms\n"
                           "0\t32\t1.5\t0.1\n"
                           "1\t8\tinvalid\t\n"
                           "0\t8\t3e0\t0.2\n";

Test(recorded_space, is_read)
{
    hed_recorded_space recorded;
    OK(hed_recorded_space_parse("a/b/blur_GPU.tsv.gz", TEXT, strlen(TEXT), &recorded, &error));
    CHECK_TEXT(recorded.name, "blur_GPU");
    CHECK(recorded.parameter_count == 2 && recorded.count == 3 &&
          hed_space_count(recorded.space) == 3);
    CHECK_TEXT(recorded.parameters[0].name, "size");
    CHECK(recorded.parameters[0].count == 3 && recorded.parameters[0].values[2] == 32 &&
          recorded.parameters[1].count == 2);
    hed_config config = hed_space_at(recorded.space, 0);
    CHECK(config.values[0] == 32 && config.values[1] == 0);
    CHECK(recorded.times[0] == 1.5 && isnan(recorded.times[1]) && recorded.times[2] == 3);
    hed_recorded_space_free(&recorded);
}

static void refuse(const char *text, const char *words)
{
    hed_recorded_space recorded;
    FAILS(
        HED_ERROR_FORMAT, hed_recorded_space_parse("f.tsv", text, strlen(text), &recorded, &error));
    CHECK_TEXT(error.text, words);
}

Test(recorded_space, errors_name_the_line)
{
    refuse("", "f.tsv:0: the file ends before the columns' names");
    refuse("# domain: a=1,2\n", "f.tsv:1: the file ends before the columns' names");
    refuse("a\ttime_ms\n1\t2\n",
        "f.tsv:1: no line \"# domain: NAME=VALUE,VALUE,...; ...\" before the columns' names");
    refuse("# domain: a\n", "f.tsv:1: \"a\" in the domain: expected NAME=VALUE,VALUE,...");
    refuse("# domain: a=1,x\na\ttime_ms\ny\t1\n",
        "f.tsv:3: a is \"y\": expected one of the domain's values");
    refuse("a,outcome,value,low\n1,measured\n",
        "f.tsv: row 1 has too few fields: expected 1 parameters, outcome and value");
    refuse("a,outcome,value,low\n\"x,y\",measured,1,1\n",
        "f.tsv: the value \"x,y\" of a: expected words without tabs, commas, semicolons and ends of lines");
    refuse("a,outcome,value,text\n1,measured,1,\n2,measured,-1,\"two\nlines\"\n",
        "f.tsv: configuration 2: time_ms is \"-1000\": expected a positive number or invalid");
    refuse("a,outcome,value,text\n1,measured,1,\n1,measured,1,\n",
        "f.tsv: points 0 and 1 are the same (point 0 is configuration 1)");
    refuse("{\"cache\": {}}",
        "f.tsv: neither \"tune_params_keys\" and \"cache\" nor results; expected a cache file of Kernel "
        "Tuner, or results of T4 or of KTT");
    refuse("{\"tune_params_keys\": [\"a\"], \"cache\": {\"1\": {\"b\": 1}}}",
        "f.tsv: \"1\" in the cache has no a");
    refuse("#\n# domain: a=1; a=2\n", "f.tsv:2: the parameter \"a\" is there twice");
    refuse("# domain: a=1,2; b=3\na\ttime_ms\n",
        "f.tsv:2: of the domain's 2 parameters and time_ms, 2 are among the columns");
    refuse("# domain: a=1,2\na\ta\ttime_ms\n", "f.tsv:2: the column \"a\" is there twice");
    refuse("# domain: a=1,2\na\ttime_ms\n", "f.tsv:2: no configurations behind the columns' names");
    refuse("# domain: a=1,2\na\ttime_ms\n1\t2\n2\n", "f.tsv:4: 1 columns, expected 2");
    refuse("# domain: a=1,2\na\ttime_ms\n1\t2\t3\n", "f.tsv:3: 3 columns, expected 2");
    refuse(
        "# domain: a=1,2\na\ttime_ms\n1.5\t2\n", "f.tsv:3: a is \"1.5\": expected a whole number");
    refuse("# domain: a=1,2\na\ttime_ms\n1\t-2\n",
        "f.tsv:3: time_ms is \"-2\": expected a positive number or invalid");
    refuse("# domain: a=1,2\na\ttime_ms\n1\t\n",
        "f.tsv:3: time_ms is \"\": expected a positive number or invalid");
    refuse("# domain: a=1,2\na\ttime_ms\n3\t1\n",
        "f.tsv: point 0: \"a\" has no value 3 (point 0 is line 3)");
    refuse("# domain: a=1,2\na\ttime_ms\n1\t1\n1\t2\n",
        "f.tsv: points 0 and 1 are the same (point 0 is line 3)");
    refuse("# domain: a=1,2\na\ttime_ms\n1\t1\n\n2\t2\n",
        "f.tsv:4: an empty line, and more behind it");
    hed_recorded_space recorded;
    FAILS(HED_ERROR_FORMAT, hed_recorded_space_parse("f.tsv", "a\0b", 3, &recorded, &error));
    FAILS(HED_ERROR_IO, hed_recorded_space_read("/no/such/file.tsv", &recorded, &error));
    CHECK(strstr(error.text, "/no/such/file.tsv"));
}

/* Caches of other objectives: a rate counts by its reciprocal, joules as they are. */
Test(recorded_space, caches_of_other_objectives)
{
    static const struct {
        const char *objective;
        double costs[2];
    } cases[] = {{"GFLOP/s", {1 / 50.0, 1 / 80.0}}, {"energy", {3, 4}}, {"absent", {7, 5}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        hed_recorded_space recorded;
        snprintf(text, sizeof text,
            "{\"objective\": \"%s\", \"tune_params_keys\": [\"a\"], \"cache\": {\"1\": {\"a\": 1, \"time\": 7, "
            "\"GFLOP/s\": 50, \"energy\": 3}, \"2\": {\"a\": 2, \"time\": 5, \"GFLOP/s\": 80, \"energy\": 4}, "
            "\"3\": {\"a\": 3, \"time\": \"RuntimeFailedConfig\", \"GFLOP/s\": \"x\", \"energy\": \"x\"}}}",
            cases[i].objective);
        OK(hed_recorded_space_parse("a/c.json", text, strlen(text), &recorded, &error));
        CHECK_EQ(recorded.count, 3);
        for (int j = 0; j < 2; j++) CHECK_NEAR(recorded.times[j], cases[i].costs[j], 1e-6);
        CHECK(isnan(recorded.times[2]));
        hed_recorded_space_free(&recorded);
    }
}

/* As `heddle tune --csv` writes it: choices by name, seconds, an explanation over two lines. */
Test(recorded_space, our_own_csv)
{
    static const char csv[] =
        "WG,MODE,outcome,value,low,high,runs,build_seconds,at,error,recalled,winner,text\n"
        "64,tiled,measured,0.0015,0.0014,0.0016,5,0.1,1,0,0,1,\n"
        "8,\"direct\",build,,,,0,0.1,2,,0,0,\"one \"\"line\"\",\nand another\"\n"
        "64,direct,dropped,0.003,0.003,0.003,1,0.1,3,0,0,0,\n";
    hed_recorded_space recorded;
    OK(hed_recorded_space_parse("a/b.csv", csv, strlen(csv), &recorded, &error));
    CHECK(recorded.parameter_count == 2 && recorded.count == 3 && strcmp(recorded.name, "b") == 0);
    CHECK(recorded.parameters[0].values[0] == 8 && recorded.parameters[0].values[1] == 64);
    CHECK_TEXT(recorded.parameters[1].labels[0], "tiled");
    hed_config config = hed_space_at(recorded.space, 2);
    CHECK(config.values[0] == 64 && config.values[1] == 1);
    CHECK(fabs(recorded.times[0] - 1.5) < 1e-6 && isnan(recorded.times[1]) &&
          fabs(recorded.times[2] - 3) < 1e-6);
    hed_recorded_space_free(&recorded);
}

/* Many quoted fields: each takes memory for itself alone, where the rest of the file would be
 * gigabytes. */
Test(recorded_space, many_quoted_rows, .timeout = 60)
{
    enum { ROWS = 40000 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    CHECK(out);
    fputs("\"A\",\"B\",outcome,value,text\n", out);
    for (int i = 0; i < ROWS; i++)
        fprintf(out, "\"%d\",\"%d\",\"measured\",\"0.001\",\"a \"\"word\"\"\"\n", i % 200, i / 200);
    fclose(out);
    hed_recorded_space recorded;
    OK(hed_recorded_space_parse("many.csv", text, size, &recorded, &error));
    EXPECT(recorded.count == ROWS && recorded.parameter_count == 2);
    hed_recorded_space_free(&recorded);
    free(text);
}

/* A file that is closed, and that of a tuning that was broken off. */
Test(recorded_space, kernel_tuners_cache)
{
    static const char cache[] =
        "{\n\"device_name\": \"Some GPU\", \"kernel_name\": \"blur\",\n\"tune_params_keys\": [\"WG\", \"layout\"],\n"
        "\"tune_params\": {\"WG\": [16, 32], \"layout\": [\"row\", \"column\"]}, \"objective\": \"time\",\n\"cache\": {\n"
        "\"16,row\": {\"WG\": 16, \"layout\": \"row\", \"time\": 2.5, \"times\": [2.5, 2.6]},\n"
        "\"32,column\": {\"WG\": 32, \"layout\": \"column\", \"time\": \"CompilationFailedConfig\"},\n"
        "\"32,row\": {\"WG\": 32, \"layout\": \"row\", \"time\": 1.25}";
    static const char *const ends[] = {"}\n}\n", ",\n", ""};
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        hed_recorded_space recorded;
        snprintf(text, sizeof text, "%s%s", cache, ends[i]);
        OK(hed_recorded_space_parse("blur_GPU.json", text, strlen(text), &recorded, &error));
        CHECK(recorded.parameter_count == 2 && recorded.count == 3);
        CHECK(recorded.times[0] == 2.5 && isnan(recorded.times[1]) && recorded.times[2] == 1.25);
        CHECK(strcmp(recorded.parameters[1].name, "layout") == 0 &&
              strcmp(recorded.parameters[1].labels[1], "column") == 0);
        hed_recorded_space_free(&recorded);
    }
}

/* T4 of other objectives: KTT's converter names durations "TotalDuration", and a rate counts by its reciprocal. */
Test(recorded_space, results_of_other_objectives)
{
    static const struct {
        const char *objective;
        double cost;
    } cases[] = {{"TotalDuration", 3}, {"GFLOP/s", 1 / 50.0}, {"energy", 4}, {"absent", 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        hed_recorded_space recorded;
        snprintf(text, sizeof text,
            "{\"results\": [{\"configuration\": {\"a\": 1}, \"objectives\": [\"%s\"], \"invalidity\": \"correct\", "
            "\"measurements\": [{\"name\": \"time\", \"value\": 7, \"unit\": \"\"}, "
            "{\"name\": \"TotalDuration\", \"value\": 3000, \"unit\": \"Microseconds\"}, "
            "{\"name\": \"GFLOP/s\", \"value\": 50, \"unit\": \"\"}, {\"name\": \"energy\", \"value\": 4, \"unit\": \"J\"}]}]}",
            cases[i].objective);
        OK(hed_recorded_space_parse("x.json", text, strlen(text), &recorded, &error));
        CHECK_EQ(recorded.count, 1);
        CHECK_NEAR(recorded.times[0], cases[i].cost, 1e-9);
        hed_recorded_space_free(&recorded);
    }
}

/* Results of searches: T4 as Kernel Tuner and Heddle write it, and KTT's. The first time of a
 * repeated configuration counts. */
Test(recorded_space, results_of_tuners)
{
    static const char *const texts[] = {
        "{\"metadata\": {\"timeunit\": \"miliseconds\"}, \"results\": ["
        "{\"configuration\": {\"WG\": 16, \"layout\": \"row\"}, \"invalidity\": \"correct\", "
        "\"measurements\": [{\"name\": \"time\", \"value\": 2.5, \"unit\": \"\"}]},"
        "{\"configuration\": {\"WG\": 32, \"layout\": \"column\"}, \"invalidity\": \"runtime\", "
        "\"measurements\": [{\"name\": \"time\", \"value\": \"RuntimeFailedConfig\", \"unit\": \"\"}]},"
        "{\"configuration\": {\"WG\": 16, \"layout\": \"row\"}, \"invalidity\": \"correct\", "
        "\"measurements\": [{\"name\": \"time\", \"value\": 9, \"unit\": \"ms\"}]},"
        "{\"configuration\": {\"WG\": 32, \"layout\": \"row\"}, \"invalidity\": \"correct\", "
        "\"measurements\": [{\"name\": \"time\", \"value\": 0.00125, \"unit\": \"seconds\"}]}]}",
        "{\"Metadata\": {\"TimeUnit\": \"Microseconds\"}, \"Results\": ["
        "{\"Configuration\": [{\"Name\": \"WG\", \"Value\": 16}, {\"Name\": \"layout\", \"Value\": \"row\"}], "
        "\"Status\": \"Ok\", \"TotalDuration\": 2500.0},"
        "{\"Configuration\": [{\"Name\": \"WG\", \"Value\": 32}, {\"Name\": \"layout\", \"Value\": \"column\"}], "
        "\"Status\": \"ComputationFailed\", \"TotalDuration\": 0.0},"
        "{\"Configuration\": [{\"Name\": \"WG\", \"Value\": 32}, {\"Name\": \"layout\", \"Value\": \"row\"}], "
        "\"Status\": \"Ok\", \"TotalDuration\": 1250.0}]}"};
    for (size_t i = 0; i < 2; i++) {
        hed_recorded_space recorded;
        OK(hed_recorded_space_parse("x.json", texts[i], strlen(texts[i]), &recorded, &error));
        CHECK(recorded.parameter_count == 2 && recorded.count == 3);
        CHECK(fabs(recorded.times[0] - 2.5) < 1e-9 && isnan(recorded.times[1]) &&
              fabs(recorded.times[2] - 1.25) < 1e-9);
        CHECK_TEXT(recorded.parameters[1].labels[1], "column");
        hed_recorded_space_free(&recorded);
    }
    refuse("{\"Metadata\": {\"TimeUnit\": \"fortnights\"}, \"Results\": [{}]}",
        "f.tsv: the unit of time is \"fortnights\"; expected milliseconds, microseconds or the like");
    refuse("{\"results\": [{\"configuration\": {\"a\": 1}}, {\"configuration\": {\"b\": 1}}]}",
        "f.tsv: result 2 has no a");
    refuse("{\"results\": [{\"configuration\": 3}]}",
        "f.tsv: result 1 has no configuration; expected one as T4 or KTT have them");
}

Test(recorded_space, is_read_from_files, .init = folder_make, .fini = folder_remove)
{
    hed_recorded_space recorded;
    const char *plain = in_folder("blur_GPU.tsv");
    write_file(plain, TEXT, strlen(TEXT));
    OK(hed_recorded_space_read(plain, &recorded, &error));
    CHECK(recorded.count == 3 && strcmp(recorded.name, "blur_GPU") == 0);
    hed_recorded_space_free(&recorded);
    char packed[512];
    snprintf(packed, sizeof packed, "%s.gz", plain);
    gzFile file = gzopen(packed, "wb");
    CHECK(file && gzwrite(file, TEXT, sizeof TEXT - 1) == sizeof TEXT - 1 && gzclose(file) == Z_OK);
    OK(hed_recorded_space_read(packed, &recorded, &error));
    CHECK(recorded.count == 3 && strcmp(recorded.name, "blur_GPU") == 0);
    hed_recorded_space_free(&recorded);
    /* cut in half */
    FILE *whole = fopen(packed, "r+b");
    CHECK(whole && fseek(whole, 0, SEEK_END) == 0 &&
          ftruncate(fileno(whole), ftell(whole) / 2) == 0 && fclose(whole) == 0);
    FAILS(HED_ERROR_IO, hed_recorded_space_read(packed, &recorded, &error));
    CHECK(mkfifo(in_folder("pipe"), 0600) == 0); /* is not waited for */
    FAILS(HED_ERROR_IO, hed_recorded_space_read(in_folder("pipe"), &recorded, &error));
    CHECK(strstr(error.text, "is a pipe"), "%s", error.text);
}

/* ---- the score ---- */

/* Times 1 to 100: the target is 1 + 0.05 (50.5 - 1) = 3.475, so 97 come before it, and the budget
 * is ceil(97 / 4). */
Test(recorded_space, budget_and_expectation)
{
    enum { COUNT = 100 };
    char text[4096] = "# domain: a=";
    size_t used = strlen(text);
    for (int i = 1; i <= COUNT; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", i > 1 ? "," : "", i);
    used += (size_t)snprintf(text + used, sizeof text - used, "\na\ttime_ms\n");
    for (int i = 1; i <= COUNT; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d\t%d\n", i, 101 - i);
    hed_recorded_space recorded;
    hed_replay_scale scale;
    OK(hed_recorded_space_parse("f.tsv", text, used, &recorded, &error));
    OK(hed_replay_measure(&recorded, &scale, &error));
    CHECK(scale.optimum == 1 && scale.median == 50.5 && scale.budget == 25, "%u", scale.budget);
    for (uint32_t draws = 1; draws <= scale.budget;
         draws++) /* the least of M out of 1..n is (n + 1) / (M + 1) */
        CHECK(fabs(scale.expected[draws] - 101.0 / (draws + 1)) < 1e-9, "%u: %g", draws,
            scale.expected[draws]);
    double optimum[HED_REPLAY_MOST], chance[HED_REPLAY_MOST];
    for (uint32_t i = 0; i < scale.budget; i++) {
        optimum[i] = 1;
        chance[i] = scale.expected[i + 1];
    }
    CHECK(fabs(hed_replay_score(&scale, optimum) - 1) < 1e-12 &&
          fabs(hed_replay_score(&scale, chance)) < 1e-12);
    uint32_t count;
    hed_config *best = hed_replay_best(&recorded, 3, &count);
    CHECK(count == 3 && best[0].values[0] == 100 && best[2].values[0] == 98);
    free(best);
    double seconds[HED_REPLAY_MOST], run[HED_REPLAY_MOST];
    hed_replay_def def = {&recorded, &scale, HED_SEARCH_EXHAUSTIVE, 1, NULL, 0, 120, 1, 0, NULL};
    OK(hed_replay_run(&def, run, seconds, &error)); /* beyond the end of the space */
    for (uint32_t i = 0; i < 120; i++) CHECK(run[i] == (i < COUNT ? COUNT - i : 1));
    hed_recorded_space_free(&recorded);
}
