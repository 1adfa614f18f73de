/* Recordings of pages: each fault of a file is named. */
#include "testing.h"

#include "cli/tune/page_file.h"

#include <stdio.h>
#include <string.h>

#define THINGS "[{\"size\":16,\"usage\":128,\"at\":0,\"bytes\":16}]"
#define SHOT "{\"groups\":[null,{\"offsets\":[],\"entries\":[{\"binding\":0,\"thing\":0}]}],\"indirect\":null}"
#define KEY(shot) "{\"counts\":[1,1,1],\"seen\":1,\"stack\":[],\"shots\":[" shot "]}"
#define PIPELINE(keys) \
    "{\"code\":\"\",\"entry\":\"main\",\"constants\":{},\"dispatches\":1,\"stack\":[],\"keys\":[" keys "]}"
#define HEADER(things, pipelines) \
    "{\"page\":\"\",\"agent\":\"\",\"features\":[],\"things\":" things ",\"pipelines\":[" pipelines "]}"

/* Checks a file of a header and 16 bytes of contents. */
static hed_status check(const char *header, uint32_t version, size_t length, hed_error *error)
{
    char bytes[4096] = "HREC";
    const uint32_t words[2] = {version, (uint32_t)length};
    size_t size = strlen(header);
    memcpy(bytes + 4, words, sizeof words);
    memcpy(bytes + 12, header, size);
    return page_file_check("page.hrec", bytes, 12 + size + 16, error);
}

Test(page_file, a_recording_is_taken)
{
    hed_error error = {0};
    const char *header = HEADER(THINGS, PIPELINE(KEY(SHOT)));
    OK(check(header, 1, strlen(header), &error));
}

Test(page_file, each_fault_is_named)
{
    static const char *const faults[][2] = {{"{}", "things"}, {"[]", "expected an object"},
        {HEADER("[{\"size\":16,\"usage\":128,\"at\":8,\"bytes\":16}]", ""), "things[0]: contents end at byte 24"},
        {HEADER("[{\"size\":20,\"usage\":128,\"at\":0,\"bytes\":16}]", ""), "things[0].size"},
        {HEADER("[{\"size\":[4,4],\"usage\":4,\"at\":0,\"bytes\":16}]", ""), "things[0].size"},
        {HEADER(THINGS, PIPELINE(KEY("{\"groups\":[{\"offsets\":[],\"entries\":[{\"binding\":0,\"thing\":1}]}],\"indirect\":null}"))), "entries[0].thing"},
        {HEADER(THINGS, PIPELINE(KEY("{\"groups\":[],\"indirect\":{\"thing\":3,\"offset\":0}}"))), "indirect.thing"},
        {HEADER(THINGS, PIPELINE("{\"counts\":[1,1],\"seen\":1,\"stack\":[],\"shots\":[]}")), "counts"},
        {HEADER(THINGS, "{\"entry\":\"main\"}"), "code"}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        hed_error error = {0};
        CHECK_EQ(check(faults[i][0], 1, strlen(faults[i][0]), &error), HED_ERROR_FORMAT, "%s",
            faults[i][0]);
        CHECK(strstr(error.text, faults[i][1]), "%s: no \"%s\"", error.text, faults[i][1]);
        hed_error_clear(&error);
    }
}

Test(page_file, the_head_is_checked)
{
    hed_error error = {0};
    CHECK_EQ(page_file_check("x", "HREC", 4, &error), HED_ERROR_FORMAT);
    CHECK_EQ(page_file_check("x", "PK\3\4        ", 12, &error), HED_ERROR_FORMAT);
    CHECK_EQ(check("{}", 2, 2, &error), HED_ERROR_FORMAT);
    CHECK_EQ(check("{}", 1, 4000, &error), HED_ERROR_FORMAT);
    CHECK_EQ(check("{}", 1, 0xffffffff, &error), HED_ERROR_FORMAT);
    hed_error_clear(&error);
}
