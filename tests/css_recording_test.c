/* Recordings of pages: messages of a page become a file, the file a document. */
#include "testing.h"

#include "cli/css/recording.h"
#include "folder.h"
#include "support/file.h"

static css_recording *recording;
static hed_css_names *recorded_names;
static hed_css_document *recorded;
static char *recorded_text;

static void close_recording(void)
{
    css_recording_destroy(recording);
    hed_css_document_destroy(recorded);
    hed_css_names_destroy(recorded_names);
    free(recorded_text);
    folder_remove();
}

TestSuite(css_recording, .init = folder_make, .fini = close_recording);

static void add(const char *document, const char *nodes, const char *roots)
{
    char message[2048];
    hed_error error = {0};
    if (!recording) OK(css_recording_create(&recording, &error));
    snprintf(message, sizeof message,
        "{\"document\":\"%s\",\"url\":\"http://a/\",\"quirks\":false,\"nodes\":[%s],\"roots\":[%s]}",
        document, nodes, roots);
    OK(css_recording_add(recording, message, &error));
}

static void reopen(void)
{
    hed_error error = {0};
    size_t length;
    OK(css_recording_save(recording, in_folder("r.json"), &error));
    OK(hed_file_read(in_folder("r.json"), 1 << 20, &recorded_text, &length, &error));
    CHECK(css_is_recording(recorded_text, length));
    OK(hed_css_names_create(NULL, &recorded_names, &error));
    OK(css_recording_document(recorded_names, "r.json", recorded_text, length, &recorded, &error));
}

static uint32_t matches(const char *selector)
{
    hed_error error = {0};
    uint32_t count = 0;
    OK(hed_css_select(recorded, selector, NULL, 0, &count, &error));
    return count;
}

#define LI(class) "\"[\\\"li\\\",0,[[\\\"class\\\",\\\"" class "\\\"]],1,[],[]]\""
#define UL(children) "\"[\\\"ul\\\",0,[],0,[" children "],[]]\""

Test(css_recording, a_list_before_and_after_a_change)
{
    add("d", LI("a") "," LI("b") "," UL("0,1"), "[2]");
    add("d", LI("c") "," UL("3,1"), "[4]");
    reopen();
    css_recording_counts counts = css_recording_count(recording);
    CHECK(counts.nodes == 5 && counts.trees == 2 && counts.pages == 1);
    CHECK_EQ(matches("ul > .a + .b"), 1);
    CHECK_EQ(matches("ul > .c + .b"), 1);
    CHECK_EQ(matches(".a + .c"), 0);
    CHECK_EQ(matches("ul"), 2);
}

Test(css_recording, equal_nodes_of_two_documents_are_one)
{
    add("d", LI("a") "," UL("0"), "[1]");
    add("e", LI("x") "," LI("a") "," UL("1"), "[2]");
    CHECK_EQ(css_recording_count(recording).nodes, 3);
    CHECK_EQ(css_recording_count(recording).trees, 1);
}

Test(css_recording, a_shadow_root_is_a_tree_of_its_own)
{
    add("d", LI("in") "," LI("last") "," "\"[\\\"my-box\\\",0,[],0,[],[0,1]]\"" "," UL("2,1"), "[3]");
    reopen();
    CHECK_EQ(matches(".in + .last"), 1);
    CHECK_EQ(matches("ul > my-box + .last"), 1);
    CHECK_EQ(matches("my-box"), 1);
    CHECK_EQ(matches(".in"), 1);
    CHECK_EQ(matches("my-box .in"), 0);
}

Test(css_recording, sheets_keep_their_address_when_their_text_changes)
{
    hed_error error = {0};
    add("d", LI("a"), "[0]");
    static const char *const box[] = {"my-box"};
    const css_recorded_sheet sheets[] = {{.url = "http://a/a.css", .text = "a{}"}, {.text = "b{}"},
        {.url = "", .hosts = box, .host_count = 1, .text = "a{}"}};
    static const char *const hosts[] = {"", "my-box"};
    OK(css_recording_set_sheet(recording, "s 1", &sheets[0], &error));
    OK(css_recording_set_sheet(recording, "s 1", &sheets[1], &error));
    OK(css_recording_set_sheet(recording, "s 2", &sheets[2], &error));
    OK(css_recording_set_sheet(recording, "s 2", &sheets[1], &error));
    css_recording_set_hosts(recording, "s 1", hosts, 2);
    css_recording_set_hosts(recording, "s 3", hosts, 2);
    reopen();
    CHECK(strstr(recorded_text, "{\"url\":\"http://a/a.css\",\"text\":\"b{}\",\"hosts\":[\"\",\"my-box\"]}"));
    CHECK_NULL(strstr(recorded_text, "s 3"));
    CHECK(strstr(recorded_text, "{\"url\":\"\",\"hosts\":[\"my-box\"],\"text\":\"b{}\"}"));
}

/* Trees of a host, as a line of numbers. */
static void add_tree(void *user, uint32_t tree)
{
    char *line = user, number[16];
    if (tree == HED_CSS_NONE) snprintf(number, sizeof number, "any ");
    else snprintf(number, sizeof number, "%u ", (unsigned)tree);
    strcat(line, number);
}

Test(css_recording, sheets_are_in_the_trees_of_their_host)
{
    static const struct {
        const char *hosts[2], *trees;
    } cases[] = {{{NULL}, "any "}, {{""}, "0 "}, {{"my-box"}, "2 3 "}, {{"my-list"}, "1 "}, {{"my"}, "any "},
        {{"my-boxes"}, "any "}, {{"other"}, "any "}, {{"", "my-box"}, "0 2 3 "}, {{"my-box", "other"}, "any "}};
    add("d",
        LI("in") ",\"[\\\"my-box\\\",0,[[\\\"class\\\",\\\"a\\\"]],0,[],[0]]\","
                 "\"[\\\"my-box\\\",0,[],0,[],[0]]\",\"[\\\"my-list\\\",0,[],0,[],[1,2]]\"",
        "[3]");
    reopen();
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        const css_recorded_sheet sheet = {.hosts = cases[i].hosts,
            .host_count = (cases[i].hosts[0] != NULL) + (cases[i].hosts[1] != NULL)};
        char line[64] = "";
        css_recording_trees(recorded, &sheet, add_tree, line);
        EXPECT_TEXT(line, cases[i].trees, "case %zu", i);
    }
}

Test(css_recording, damaged_messages_are_refused)
{
    static const char *const messages[] = {"", "{}", "[1]",
        "{\"document\":\"d\",\"url\":\"u\",\"quirks\":false,\"nodes\":[\"[]\"],\"roots\":[]}",
        "{\"document\":\"d\",\"url\":\"u\",\"quirks\":false,\"nodes\":[\"[\\\"p\\\",0,[],0,[0],[]]\"],\"roots\":[]}",
        "{\"document\":\"d\",\"url\":\"u\",\"quirks\":false,\"nodes\":[],\"roots\":[[7]]}"};
    hed_error error = {0};
    OK(css_recording_create(&recording, &error));
    for (size_t i = 0; i < HED_COUNT(messages); i++) {
        FAILS(HED_ERROR_FORMAT, css_recording_add(recording, messages[i], &error));
        hed_error_clear(&error);
    }
}

Test(css_recording, damaged_files_are_refused)
{
#define FILE_OF(rest) "{\"format\":\"heddle css recording\",\"version\":1," rest "}"
    static const char *const files[] = {FILE_OF("\"nodes\":[]"), "{\"format\":\"heddle css recording\"",
        "{\"format\":\"heddle css recording\",\"version\":2}",
        FILE_OF("\"nodes\":[[\"p\",0,[],0,[0],[]]],\"pages\":[{\"trees\":[[0]]}]"),
        FILE_OF("\"nodes\":[[\"p\",9,[],0,[],[]]],\"pages\":[{\"trees\":[[0]]}]"),
        FILE_OF("\"nodes\":[[\"\",0,[],0,[],[]]],\"pages\":[{\"trees\":[[0]]}]"),
        FILE_OF("\"nodes\":[[\"p\",0,[[\"a\"]],0,[],[]]],\"pages\":[{\"trees\":[[0]]}]"),
        FILE_OF("\"nodes\":[[\"p\",0,[],0,[],[]]],\"pages\":[{\"trees\":[[1]]}]"),
        FILE_OF("\"nodes\":[[\"p\",0,[],0,[],[]]],\"pages\":[{\"trees\":[[-1]]}]")};
    hed_error error = {0};
    OK(hed_css_names_create(NULL, &recorded_names, &error));
    for (size_t i = 0; i < HED_COUNT(files); i++) {
        FAILS(HED_ERROR_FORMAT, css_recording_document(recorded_names, "r.json", files[i],
                                    strlen(files[i]), &recorded, &error));
        CHECK(strstr(error.text, "r.json"), "%s", error.text);
        hed_error_clear(&error);
    }
}

/* Each node has the former one twice as a child: 2^40 elements. */
Test(css_recording, a_file_that_expands_without_bound_is_refused)
{
    char text[4096];
    hed_error error = {0};
    int length = snprintf(text, sizeof text,
        "{\"format\":\"heddle css recording\",\"version\":1,\"nodes\":[[\"p\",0,[],0,[],[]]");
    for (int i = 0; i < 40; i++)
        length += snprintf(
            text + length, sizeof text - (size_t)length, ",[\"p\",0,[],0,[%d,%d],[]]", i, i);
    snprintf(text + length, sizeof text - (size_t)length, "],\"pages\":[{\"trees\":[[40]]}]}");
    OK(hed_css_names_create(NULL, &recorded_names, &error));
    FAILS(HED_ERROR_LIMIT,
        css_recording_document(recorded_names, "r.json", text, strlen(text), &recorded, &error));
}
