/* Libraries that are optional: what loads can be called; what does not says what it is for, why,
 * and which packages bring it. `heddle doctor` reads the same table (tests/cli/run.sh). */
#include "heddle/library.h"
#include "testing.h"

#include <stdlib.h>

typedef double function_of_one(double);

static const char *const FILES[] = {"libheddle-nowhere.so.9", "libm.so.6", NULL};
static const hed_library_def MATHS = {
    "maths", "taking a root", FILES, "HEDDLE_TEST_LIBRARY", "libc6", "glibc"};

Test(library, functions_of_what_is_there)
{
    static const char *const names[] = {"sqrt", "fabs"};
    void *slots[2];
    const char *file;
    hed_error error = {0};
    test_allocator counting = {0};
    hed_allocator allocator = test_allocator_of(&counting);
    OK(hed_library_load(&allocator, &MATHS, names, slots, 2, &file, &error));
    function_of_one *functions[2];
    memcpy(functions, slots, sizeof slots);
    CHECK(functions[0](9) == 3 && functions[1](-2) == 2);
    CHECK_TEXT(file, "libm.so.6");
    CHECK(counting.live == 0 && counting.calls > 0);
    for (int64_t call = 1, calls = counting.calls; call <= calls; call++) {
        counting = (test_allocator){.fail_at = call};
        FAILS(
            HED_ERROR_MEMORY, hed_library_load(&allocator, &MATHS, names, slots, 2, NULL, &error));
        CHECK(counting.live == 0);
    }
}

Test(library, what_is_missing_is_named_with_its_packages)
{
    static const char *const nowhere[] = {"libheddle-nowhere.so.9", NULL}, *const names[] = {"sqrt",
                                                                               "no_such_function"};
    void *slots[2];
    hed_error error = {0};
    hed_library_def def = MATHS;
    def.files = nowhere;
    FAILS(HED_ERROR_UNSUPPORTED, hed_library_load(NULL, &def, NULL, NULL, 0, NULL, &error));
    CHECK(strstr(error.text, "taking a root needs libheddle-nowhere.so.9") &&
              strstr(error.text, "does not load"),
        "%s", error.text);
    CHECK(strstr(error.text, "Debian: apt install libc6") &&
              strstr(error.text, "Fedora: dnf install glibc"),
        "%s", error.text);
    FAILS(HED_ERROR_UNSUPPORTED, hed_library_load(NULL, &MATHS, names, slots, 2, NULL, &error));
    CHECK(strstr(error.text, "libm.so.6, which lacks no_such_function"), "%s", error.text);
    def.debian = def.fedora = NULL;
    FAILS(HED_ERROR_UNSUPPORTED, hed_library_load(NULL, &def, NULL, NULL, 0, NULL, &error));
    CHECK(!strstr(error.text, "install"), "%s", error.text);
}

Test(library, a_setting_names_another_file)
{
    hed_error error = {0};
    const char *file;
    setenv("HEDDLE_TEST_LIBRARY", "none", 1);
    FAILS(HED_ERROR_UNSUPPORTED, hed_library_load(NULL, &MATHS, NULL, NULL, 0, NULL, &error));
    CHECK(strstr(error.text, "none of HEDDLE_TEST_LIBRARY"), "%s", error.text);
    setenv("HEDDLE_TEST_LIBRARY", "libc.so.6", 1);
    OK(hed_library_load(NULL, &MATHS, NULL, NULL, 0, &file, &error));
    CHECK_TEXT(file, "libc.so.6");
    setenv("HEDDLE_TEST_LIBRARY", "", 1); /* as if it were not set */
    OK(hed_library_load(NULL, &MATHS, NULL, NULL, 0, &file, &error));
    CHECK_TEXT(file, "libm.so.6");
}
