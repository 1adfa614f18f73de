/* The option tables: what is parsed, what is refused and in which words, help, man page and
 * completion. A tree of its own, so that a new option of the command breaks nothing here. */
#include "testing.h"

#include "cli/common/options.h"

/* ---- a tree to try things on ---- */

static int run_nothing(const hed_arguments *arguments, void *user)
{
    (void)arguments;
    (void)user;
    return 0;
}

static const char *const COLORS[] = {"red", "green", "blue", NULL};
static const char *const SHAPES[] = {"round", "square", NULL};

/* Names of devices; "lost" is none, any other text is the value itself but for "two", a file. */
static void list_places(const hed_names *names, hed_name_function *add, void *user)
{
    for (const char *const *place = names->of; *place; place++) add(user, *place, "a place");
}

static hed_status find_place(
    const hed_names *names, const char *text, const char *folder, char **file, hed_error *error)
{
    CHECK_TEXT(folder, "here");
    if (strcmp(text, "lost") == 0) return hed_fail(error, HED_ERROR_ARGUMENT, "lost: no place");
    *file = strcmp(text, "two") == 0 ? strdup("/places/two") : NULL;
    return HED_OK;
}

static const char *const PLACES[] = {"at:0:1", "at:0:2", "here", NULL};
static const hed_names PLACE_NAMES = {.list = list_places, .find = find_place, .of = PLACES};

static const hed_option ROOT_OPTIONS[] = {
    {.name = "quiet", .letter = 'q', .kind = HED_OPTION_FLAG, .help = "say nothing"},
    {.name = "version", .kind = HED_OPTION_FLAG, .own = true, .help = "print the version"}, {0}};
static const hed_option PAINT_OPTIONS[] = {{.name = "color", .letter = 'c',
                                               .kind = HED_OPTION_CHOICE, .value = "COLOR",
                                               .choices = COLORS, .fallback = "red",
                                               .help = "which one"},
    {.name = "layers", .letter = 'n', .kind = HED_OPTION_INTEGER, .value = "COUNT", .low = 1,
        .high = 9, .help = "how many"},
    {.name = "scale", .kind = HED_OPTION_NUMBER, .value = "FACTOR", .fallback = "1.5",
        .help = "how large"},
    {.name = "tag", .letter = 't', .kind = HED_OPTION_TEXT, .value = "WORD", .repeated = true,
        .help = "a mark; it's: free"},
    {.name = "out", .kind = HED_OPTION_FILE, .value = "FILE", .required = true, .help = "where to"},
    {.name = "place", .kind = HED_OPTION_TEXT, .value = "ID", .names = &PLACE_NAMES, .help = "on which"},
    {.name = "fast", .letter = 'f', .kind = HED_OPTION_FLAG, .help = "hurry"}, {0}};
static const hed_option PAINT_POSITIONALS[] = {{.name = "SHAPE", .kind = HED_OPTION_CHOICE,
                                                   .choices = SHAPES, .required = true,
                                                   .help = "the outline"},
    {.name = "NAMES", .kind = HED_OPTION_TEXT, .repeated = true, .help = "what to call them"}, {0}};
static const hed_example PAINT_EXAMPLES[] = {{"tool paint round --out a.png", "a red one"}, {0}};
static const hed_command PAINT = {.name = "paint", .summary = "paint a shape",
    .description = "Paints.\n\n.Begins with a dot and has a back\\slash.", .options = PAINT_OPTIONS,
    .positionals = PAINT_POSITIONALS, .examples = PAINT_EXAMPLES, .run = run_nothing};
static const hed_command PLAIN = {
    .name = "plain", .summary = "no options at all", .run = run_nothing};
static const hed_command *const BENCHES[] = {&PAINT, &PLAIN, NULL};
static const hed_option BENCH_OPTIONS[] = {
    {.name = "fast", .letter = 'f', .kind = HED_OPTION_FLAG, .own = true, .help = "hurry"}, {0}};
static const hed_command BENCH = {.name = "bench", .summary = "a group that runs too",
    .options = BENCH_OPTIONS, .commands = BENCHES, .run = run_nothing};
static const hed_command GROUP = {
    .name = "group", .summary = "a group that does not", .commands = BENCHES};
static const hed_option BOTH_POSITIONALS[] = {
    {.name = "FILE", .kind = HED_OPTION_FILE, .help = "what to look at"}, {0}};
static const hed_command BOTH = {.name = "both", .summary = "an argument, or a command",
    .positionals = BOTH_POSITIONALS, .commands = BENCHES, .run = run_nothing};
static const hed_option LAST_POSITIONALS[] = {
    {.name = "FROM", .kind = HED_OPTION_FILE, .repeated = true, .help = "what to move"},
    {.name = "TO", .kind = HED_OPTION_FILE, .required = true, .help = "where to"}, {0}};
static const hed_command LAST = {.name = "move", .summary = "several arguments and a last one",
    .positionals = LAST_POSITIONALS, .hidden = true, .run = run_nothing};
static const hed_command OTHER_NAME = {.name = "stroke", .same_as = &PAINT, .hidden = true};
static const hed_command *const COMMANDS[] = {
    &PAINT, &BENCH, &GROUP, &BOTH, &LAST, &OTHER_NAME, NULL};
static const hed_example FILES[] = {{"/etc/tool", "Settings"}, {0}};
static const hed_section SECTIONS[] = {{"FILES", FILES}, {0}};
static const hed_command ROOT = {.name = "tool", .summary = "a tool", .options = ROOT_OPTIONS,
    .commands = COMMANDS, .sections = SECTIONS, .run = run_nothing};

enum { MOST_WORDS = 16 };

/* Splits at spaces; "~" stands for an empty word. */
static int split(char *line, char **words)
{
    int count = 0;
    for (char *word = strtok(line, " "); word && count < MOST_WORDS; word = strtok(NULL, " "))
        words[count++] = strcmp(word, "~") == 0 ? "" : word;
    return count;
}

static char buffer[512];

static hed_status parse(const char *line, hed_arguments *arguments, hed_error *error)
{
    char *words[MOST_WORDS];
    snprintf(buffer, sizeof buffer, "%s", line);
    hed_status status = hed_options_parse(&ROOT, split(buffer, words), words, arguments, error);
    return status ? status : hed_options_find_files(arguments, "here", error);
}

/* ---- endings ---- */

Test(options, endings_of_other_formats_are_refused)
{
    static const struct {
        const char *line, *error;
    } lines[] = {{"picture a.png", ""}, {"picture A.PNG", ""}, {"picture a.b/c.Jpg", ""},
        {"picture flag-0.5", ""}, {"picture no_ending", ""}, {"picture a.wav/b", ""},
        {"picture a.wav", "FILE a.wav: expected a name that ends with .png .jpg"},
        {"picture a.png.WAV", "FILE a.png.WAV: expected a name that ends with .png .jpg"}};
    static const hed_option positionals[] = {{.name = "FILE", .kind = HED_OPTION_FILE,
                                                 .endings = ".png .jpg", .help = "where to"}, {0}};
    static const hed_command picture = {.name = "picture", .summary = "write a picture",
        .positionals = positionals, .run = run_nothing};
    for (size_t i = 0; i < HED_COUNT(lines); i++) {
        char *words[MOST_WORDS];
        hed_arguments arguments;
        hed_error error = {0};
        snprintf(buffer, sizeof buffer, "%s", lines[i].line);
        OK(hed_options_parse(&picture, split(buffer, words), words, &arguments, &error));
        EXPECT_EQ(hed_options_check_endings(&arguments, &error),
            lines[i].error[0] ? HED_ERROR_ARGUMENT : HED_OK, "%s", lines[i].line);
        EXPECT(strncmp(error.text, lines[i].error, strlen(lines[i].error)) == 0, "%s", error.text);
        hed_arguments_free(&arguments);
    }
}

/* ---- parsing ---- */

Test(options, values_in_every_spelling)
{
    static const char *const lines[] = {
        "tool paint round --color green --layers 3 --out a.png --fast",
        "tool paint --color=green --layers=3 --out=a.png -f round",
        "tool paint -c green -n 3 -f --out a.png round",
        "tool paint -cgreen -fn3 --out a.png -- round",
        "tool stroke -fcgreen -n3 --out a.png round",
        "tool group paint round -fcgreen -n3 --out a.png",
        "tool bench --fast paint round -cgreen -n3 --out a.png",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hed_error error = {0};
        hed_arguments arguments;
        OK(parse(lines[i], &arguments, &error));
        EXPECT(hed_arguments_command(&arguments) == &PAINT, "%s", lines[i]);
        EXPECT(hed_choice_of(&arguments, "color") == 1, "%s", lines[i]);
        EXPECT(hed_integer_of(&arguments, "layers") == 3, "%s", lines[i]);
        EXPECT(hed_given(&arguments, "fast"), "%s", lines[i]);
        EXPECT_TEXT(hed_text_of(&arguments, "out"), "a.png");
        EXPECT(hed_choice_of(&arguments, "SHAPE") == 0, "%s", lines[i]);
        EXPECT(hed_number_of(&arguments, "scale") == 1.5 && !hed_given(&arguments, "scale"), "%s",
            lines[i]);
        hed_arguments_free(&arguments);
    }
}

Test(options, the_last_of_several_words)
{
    hed_error error = {0};
    hed_arguments arguments;
    OK(parse("tool move a b c", &arguments, &error));
    CHECK_TEXT(hed_text_at(&arguments, "FROM", 1), "b");
    CHECK_NULL(hed_text_at(&arguments, "FROM", 2));
    CHECK_TEXT(hed_text_of(&arguments, "TO"), "c");
    hed_arguments_free(&arguments);
    OK(parse("tool move c", &arguments, &error));
    CHECK(!hed_given(&arguments, "FROM"));
    CHECK_TEXT(hed_text_of(&arguments, "TO"), "c");
    hed_arguments_free(&arguments);
    FAILS(HED_ERROR_ARGUMENT, parse("tool move", &arguments, &error));
    CHECK(strstr(error.text, "TO is missing"), "%s", error.text);
    hed_arguments_free(&arguments);
}

Test(options, fallbacks_repeats_and_inherited)
{
    hed_error error = {0};
    hed_arguments arguments;
    OK(parse("tool -q paint square a --out ~ b -t x -- --tag -t --tag=y", &arguments, &error));
    CHECK(hed_given(&arguments, "quiet"));
    CHECK(hed_choice_of(&arguments, "color") == 0, "the fallback");
    CHECK_TEXT(hed_text_of(&arguments, "out"), "");
    CHECK_TEXT(hed_text_at(&arguments, "NAMES", 0), "a");
    CHECK_TEXT(hed_text_at(&arguments, "NAMES", 1), "b");
    CHECK_TEXT(hed_text_at(&arguments, "NAMES", 2), "--tag");
    CHECK_TEXT(hed_text_at(&arguments, "NAMES", 4), "--tag=y");
    CHECK_NULL(hed_text_at(&arguments, "NAMES", 5));
    CHECK_TEXT(hed_text_at(&arguments, "tag", 0), "x");
    CHECK_NULL(hed_text_at(&arguments, "tag", 1));
    CHECK(hed_integer_of(&arguments, "layers") == 0);
    hed_arguments_free(&arguments);
    OK(parse("tool paint round --out a --scale -2e-3 -fffffffffff", &arguments, &error));
    CHECK(hed_number_of(&arguments, "scale") == -2e-3);
    hed_arguments_free(&arguments);
    OK(parse("tool bench", &arguments, &error));
    CHECK(hed_arguments_command(&arguments) == &BENCH);
    hed_arguments_free(&arguments);
    OK(parse("tool", &arguments, &error));
    CHECK(hed_arguments_command(&arguments) == &ROOT);
    hed_arguments_free(&arguments);
}

Test(options, an_argument_or_a_command)
{
    hed_error error = {0};
    hed_arguments arguments;
    OK(parse("tool both plain", &arguments, &error));
    CHECK(hed_arguments_command(&arguments) == &PLAIN);
    hed_arguments_free(&arguments);
    static const char *const lines[] = {"tool both a.png", "tool both -- plain", "tool both"};
    static const char *const files[] = {"a.png", "plain", NULL};
    for (size_t i = 0; i < 3; i++) {
        OK(parse(lines[i], &arguments, &error));
        CHECK(hed_arguments_command(&arguments) == &BOTH);
        const char *file = hed_text_of(&arguments, "FILE");
        EXPECT(files[i] ? file && strcmp(file, files[i]) == 0 : !file, "%s", lines[i]);
        hed_arguments_free(&arguments);
    }
    FAILS(HED_ERROR_ARGUMENT, parse("tool both a.png plain", &arguments, &error));
    EXPECT(strstr(error.text, "one argument too many"));
    hed_arguments_free(&arguments);
}

Test(options, help_wherever_it_stands)
{
    static const char *const lines[] = {"tool paint --help", "tool paint -h",
        "tool paint --color red -fh --nonsense", "tool --help paint"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hed_error error = {0};
        hed_arguments arguments;
        OK(parse(lines[i], &arguments, &error));
        EXPECT(arguments.help, "%s", lines[i]);
        EXPECT(hed_arguments_command(&arguments) == (i == 3 ? &ROOT : &PAINT), "%s", lines[i]);
        hed_arguments_free(&arguments);
    }
}

Test(options, errors_say_what_was_found_and_what_is_near)
{
#define SEE_PAINT " (\"tool paint --help\" explains)"
    static const struct {
        const char *line, *expected;
    } cases[] = {
        {"tool pant",
            "unknown command \"pant\"; did you mean \"tool paint\"? (\"tool --help\" explains)"},
        {"tool xyzzy",
            "unknown command \"xyzzy\"; there are paint, bench, group, both (\"tool --help\" explains)"},
        {"tool group",
            "\"tool group\" needs one of these behind it: paint, plain (\"tool group --help\" explains)"},
        {"tool paint --colour red", "unknown option --colour; did you mean --color?" SEE_PAINT},
        {"tool paint --frobnicate", "unknown option --frobnicate" SEE_PAINT},
        {"tool paint --hepl", "unknown option --hepl; did you mean --help?" SEE_PAINT},
        {"tool paint -x", "unknown option -x" SEE_PAINT},
        {"tool paint -fx", "unknown option -x" SEE_PAINT},
        {"tool paint --version", "unknown option --version" SEE_PAINT},
        {"tool --version paint", "--version does not go with this command" SEE_PAINT},
        {"tool bench -f plain",
            "--fast does not go with this command (\"tool bench plain --help\" explains)"},
        {"tool paint --color", "--color needs a value (COLOR)" SEE_PAINT},
        {"tool paint --color --fast", "--color needs a value (COLOR); found --fast" SEE_PAINT},
        {"tool paint --color=rde",
            "--color: found \"rde\", expected one of red, green, blue; did you mean red?" SEE_PAINT},
        {"tool paint -c mauve",
            "--color: found \"mauve\", expected one of red, green, blue" SEE_PAINT},
        {"tool paint --layers 3x",
            "--layers: found \"3x\", expected a whole number from 1 to 9" SEE_PAINT},
        {"tool paint --layers 10",
            "--layers: found \"10\", expected a whole number from 1 to 9" SEE_PAINT},
        {"tool paint --layers 99999999999999999999",
            "--layers: found \"99999999999999999999\", expected a whole number from 1 to 9" SEE_PAINT},
        {"tool paint --layers ~",
            "--layers: found \"\", expected a whole number from 1 to 9" SEE_PAINT},
        {"tool paint --scale nan", "--scale: found \"nan\", expected a number" SEE_PAINT},
        {"tool paint --scale 1e999", "--scale: found \"1e999\", expected a number" SEE_PAINT},
        {"tool paint --fast=yes", "--fast takes no value; found \"yes\"" SEE_PAINT},
        {"tool paint -c red -c blue", "--color was given twice: \"red\" and \"blue\"" SEE_PAINT},
        {"tool paint roun --out a",
            "SHAPE: found \"roun\", expected one of round, square; did you mean round?" SEE_PAINT},
        {"tool paint --out a", "SHAPE is missing: the outline" SEE_PAINT},
        {"tool paint round", "--out is missing: where to" SEE_PAINT},
        {"tool group plain more",
            "one argument too many: \"more\" (\"tool group plain --help\" explains)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_error error = {0};
        hed_arguments arguments;
        EXPECT(parse(cases[i].line, &arguments, &error) == HED_ERROR_ARGUMENT, "%s", cases[i].line);
        EXPECT_TEXT(error.text, cases[i].expected);
        hed_arguments_free(&arguments);
    }
}

/* Whatever is typed: no crash, and a refusal says something. */
Test(options, nonsense)
{
    static const char *const words[] = {"paint", "bench", "--", "-", "--=", "--color",
        "--color=", "-c", "-f", "round", "~", "=", "-\xc3\xa9", "--out", "9", "--help=", "group",
        "-q"};
    enum { WORDS = sizeof words / sizeof *words };
    uint32_t state = 1;
    for (int i = 0; i < 20000; i++) {
        char line[256] = "tool";
        for (int n = 0; n < 6; n++) {
            state = state * 1664525u + 1013904223u;
            snprintf(line + strlen(line), sizeof line - strlen(line), " %s",
                words[(state >> 16) % WORDS]);
        }
        hed_error error = {0};
        hed_arguments arguments;
        hed_status status = parse(line, &arguments, &error);
        CHECK(status == HED_OK || (status == HED_ERROR_ARGUMENT && error.text[0]), "%s", line);
        hed_arguments_free(&arguments);
    }
}

/* ---- what is made from the tables ---- */

static char *captured;
static size_t captured_size;

static void expect_parts(const char *const *parts)
{
    const char *at = captured;
    for (; *parts; parts++) {
        at = strstr(at, *parts);
        CHECK(at, "\"%s\" is not there, or not in this order:\n%s", *parts, captured);
    }
}

Test(options, help_shows_everything)
{
    hed_arguments path;
    const char *unknown;
    const char *const names[] = {"paint"};
    FILE *stream = open_memstream(&captured, &captured_size);
    CHECK(hed_options_find(&ROOT, names, 1, &path, &unknown) == &PAINT);
    hed_options_help(&path, stream);
    fclose(stream);
    expect_parts((const char *const[]){
        "Usage: tool paint [--color COLOR] [--layers COUNT] [--scale FACTOR]\n",
        "[--tag WORD]... --out FILE [--place ID] [--fast] SHAPE\n", "[NAMES]...\n", "Paints.\n\n",
        "Arguments:\n", "SHAPE", "the outline: round, square", "Options:\n",
        "  -c, --color COLOR     which one: red, green, blue (default: red)\n",
        "  -n, --layers COUNT    how many, from 1 to 9\n",
        "      --scale FACTOR    how large (default: 1.5)\n", "may be given more than once",
        "  -q, --quiet", "  -h, --help", "Examples:\n",
        "  tool paint round --out a.png\n      a red one\n", NULL});
    CHECK_NULL(strstr(captured, "--version"));
    for (const char *line = captured; *line; line += strcspn(line, "\n") + 1)
        EXPECT(strcspn(line, "\n") <= 80, "%.90s", line);
    free(captured);
    const char *const wrong[] = {"group", "pant"};
    CHECK_NULL(hed_options_find(&ROOT, wrong, 2, &path, &unknown));
    CHECK_TEXT(unknown, "pant");
}

Test(options, man_page)
{
    FILE *stream = open_memstream(&captured, &captured_size);
    hed_options_man(&ROOT, "1.2.3", stream);
    fclose(stream);
    expect_parts((const char *const[]){".TH TOOL 1 ", "tool 1.2.3", ".SH NAME\ntool \\- a tool\n",
        ".SH SYNOPSIS", ".SH OPTIONS\nWith every command:\n", "\\-\\-quiet", "Without a command:\n",
        "\\-\\-version", ".SH COMMANDS", ".SS \\fBtool paint\\fR [\\-\\-color COLOR]",
        "\n\\&.Begins with a dot", "back\\eslash",
        "\\fB\\-c\\fR, \\fB\\-\\-color\\fR \\fICOLOR\\fR\nWhich one: red, green, blue (default: red).\n",
        ".SS \\fBtool bench\\fR", ".SH \"FILES\"\n", "/etc/tool", NULL});
    CHECK_NULL(strstr(captured, "stroke"), "hidden");
    free(captured);
}

/* Runs a script in a shell, if the shell is there; -1 if not. */
static int run_in_shell(const char *shell, const char *script)
{
    char name[] = "/tmp/heddle-completion-XXXXXX", command[256];
    snprintf(command, sizeof command, "command -v %s > /dev/null", shell);
    if (system(command) != 0) return -1;
    int file = mkstemp(name);
    CHECK(file >= 0);
    FILE *stream = fdopen(file, "w");
    fputs(script, stream);
    fclose(stream);
    snprintf(command, sizeof command, "%s %s", shell, name);
    int code = system(command);
    remove(name);
    return code;
}

/* What a completion is tried on, and what has to be offered. */
static const char *const completions[][2] = {
    {"tool ", "bench both group paint"},
    {"tool both pla", "plain"},
    {"tool p", "paint"},
    {"tool paint --c", "--color"},
    {"tool paint -c ", "blue green red"},
    {"tool -q paint --color g", "green"},
    {"tool paint --color=g", "--color=green"},
    {"tool paint --color red ", "round square"},
    {"tool bench ", "paint plain"},
    {"tool bench paint --la", "--layers"},
    {"tool bench plain --", "--help --quiet"},
    {"tool --v", "--version"},
    {"tool paint --place ", "at:0:1 at:0:2 here"},
    {"tool paint --place at:", "at:0:1 at:0:2"},
    {"tool paint --place at:0:2", "at:0:2"},
    {"tool paint --place=at:0:", "--place=at:0:1 --place=at:0:2"},
};

/* The lines that answer a command line of those above; free them. */
static char *complete(const char *line)
{
    char words[128], *word = words, *answer = NULL;
    const char *list[16];
    uint32_t count = 0;
    size_t size;
    snprintf(words, sizeof words, "%s", line + strlen("tool "));
    while (word && count < 16) list[count++] = strsep(&word, " ");
    FILE *stream = open_memstream(&answer, &size);
    hed_options_complete(&ROOT, list, count, stream);
    fclose(stream);
    return answer;
}

/* The shell's script with a `tool` that answers as the C code does, then `try` "words so far"
 * "expected words". */
static void check_completion(hed_shell kind, const char *shell, const char *head,
    const char *one_case, const char *tail, const char *try)
{
    FILE *stream = open_memstream(&captured, &captured_size);
    fputs(head, stream);
    for (size_t i = 0; i < sizeof completions / sizeof *completions; i++) {
        char *answer = complete(completions[i][0]);
        fprintf(stream, one_case, completions[i][0] + strlen("tool"), answer);
        free(answer);
    }
    fputs(tail, stream);
    hed_options_completion(&ROOT, kind, stream);
    fputs(try, stream);
    for (size_t i = 0; i < sizeof completions / sizeof *completions; i++)
        fprintf(stream, "try '%s' '%s'\n", completions[i][0], completions[i][1]);
    fputs("exit $bad\n", stream);
    fclose(stream);
    int code = run_in_shell(shell, captured);
    free(captured);
    if (code == -1) test_skip("%s is not installed", shell);
    CHECK(code == 0);
}

Test(options, names_stand_for_files)
{
    hed_arguments arguments;
    hed_error error = {0};
    OK(parse("tool paint round --out a.png --place two", &arguments, &error));
    CHECK_TEXT(hed_text_of(&arguments, "place"), "/places/two");
    CHECK_TEXT(hed_text_at(&arguments, "place", 0), "/places/two");
    hed_arguments_free(&arguments);
    OK(parse("tool paint round --out a.png --place three", &arguments, &error));
    CHECK_TEXT(hed_text_of(&arguments, "place"), "three");
    hed_arguments_free(&arguments);
    FAILS(HED_ERROR_ARGUMENT, parse("tool paint round --out a.png --place lost", &arguments, &error));
    CHECK_TEXT(error.text, "lost: no place");
    hed_arguments_free(&arguments);
    error = (hed_error){0};
    OK(parse("tool paint round --place lost --help", &arguments, &error));
    hed_arguments_free(&arguments);
}

Test(options, completion_answers)
{
    static const char *const cases[][2] = {
        {"tool paint --t", "--tag\ta mark; it's: free\n"},
        {"tool p", "paint\tpaint a shape\n"},
        {"tool paint --out ", ":file\n"},
        {"tool paint --out x --color = gr", "green\n"},
        {"tool paint --color =", "red\ngreen\nblue\n"},
        {"tool paint --tag paint ro", "round\n"},
        {"tool paint round sq", ""},
        {"tool nothing --",
            "--quiet\tsay nothing\n--version\tprint the version\n--help\tshow help\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *answer = complete(cases[i][0]);
        CHECK_TEXT(answer, cases[i][1], "%s", cases[i][0]);
        free(answer);
    }
}

Test(options, bash_completion)
{
    check_completion(HED_BASH, "bash", "bad=0\ntool() {\n    case \"$*\" in\n",
        "        '__complete%s') printf '%%s' '%s' ;;\n", "    esac\n}\n",
        /* bash splits words at : and =, and puts what is found behind the last of them */
        "try() {\n    COMP_WORDS=($(sed 's/[:=]/ & /g' <<<\"$1\"))\n    [[ $1 == *' ' ]] && COMP_WORDS+=('')\n"
        "    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n    front=${1##* }\n    front=${front%\"${front##*[:=]}\"}\n"
        "    [[ ${1##* } == *[:=]* ]] || front=\n"
        "    _tool\n    found=$(printf '%s\\n' \"${COMPREPLY[@]/#/$front}\" | LC_ALL=C sort | tr '\\n' ' ')\n"
        "    [[ $found == \"$2 \" ]] || { echo \"$1: $found\" >&2; bad=1; }\n}\n");
}

Test(options, fish_completion)
{
    check_completion(HED_FISH, "fish", "set bad 0\nfunction tool\n    switch \"$argv\"\n",
        "        case '__complete%s'\n            printf '%%s' '%s'\n", "    end\nend\n",
        "function try\n    set found (complete -C $argv[1] | string split -f1 \\t | LC_ALL=C sort)\n"
        "    if test \"$found\" != $argv[2]\n        echo \"$argv[1]: $found\" >&2\n        set -g bad 1\n    end\nend\n");
}

/* zsh completes only inside its line editor; here what the script calls of it is replaced. */
Test(options, zsh_completion)
{
    check_completion(HED_ZSH, "zsh", "LC_ALL=C\nbad=0\ntool() {\n    case \"$*\" in\n",
        "        '__complete%s') printf '%%s' '%s' ;;\n",
        "    esac\n}\ncompdef() { }\n_files() { }\ncompset() { }\n"
        "_describe() { for line in \"${(@P)2}\"; do line=${line//\\\\:/^}; line=${line%%:*}; got+=(\"${line//^/:}\"); done }\n",
        "try() {\n    words=(${=1})\n    [[ $1 == *' ' ]] && words+=('')\n    CURRENT=$#words\n    got=()\n    _tool\n"
        "    found=\"${(j: :)${(@o)got}}\"\n    [[ $found == $2 ]] || { echo \"$1: $found\" >&2; bad=1; }\n}\n");
}
