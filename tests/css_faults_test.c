/* A matcher on a driver that fails: each call of the fake CUDA fails in turn, and the matcher says
 * so, leaves nothing behind, and is made again. The fake's kernels do nothing, so that a match that
 * no call disturbs ends with what the device did not find. */
#include "fakes.h"
#include "heddle/css.h"

static hed_css_names *names;
static hed_css_document *document;
static hed_css_sheet *sheet;

static void open_all(void)
{
    hed_error error = {0};
    static const char text[] = ".a .b { } p:nth-child(2) ~ .b { } div > .a { }";
    OK(hed_css_names_create(NULL, &names, &error));
    OK(hed_css_document_create(
        names, &(hed_css_document_def){.html = "<p class=a><p class=b><div>"}, &document, &error));
    OK(hed_css_sheet_create(names,
        &(hed_css_sheet_def){.text = text, .length = strlen(text), .origin = HED_CSS_AUTHOR},
        &sheet, &error));
}
static void close_all(void)
{
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(document);
    hed_css_names_destroy(names);
}

TestSuite(css_faults, .init = open_all, .fini = close_all);

/* A life of a matcher; whether it came to its end. */
static hed_status life(hed_device *device, hed_error *error)
{
    hed_css_matcher *m = NULL;
    const hed_css_matcher_def def = {
        .documents = &document, .document_count = 1, .sheets = &sheet, .sheet_count = 1};
    hed_css_matcher_create(device, &def, &m, error);
    if (m) hed_css_match(m, error);
    hed_css_matcher_destroy(m);
    return error->status;
}

/* Calls that give something back, or that a destroy function makes first: what they were for may
 * stay. */
static bool gives_back(const char *name)
{
    static const char *const words[] = {"Free", "Destroy", "Unload", "Current", "Synchronize"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i])) return true;
    return false;
}

Test(css_faults, each_call_of_cuda_failing, .timeout = 240)
{
    hed_error error = {0};
    hed_context_def def = fakes_def("cuda");
    fake_control *driver = fakes_load(def.cuda_library);
    hed_context *context;
    hed_device *device;
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, "cuda:0", &device, &error));
    life(device, &error); /* opens the device */
    int64_t failed = 0;
    for (int64_t call = 1;; call++) {
        int64_t before = fakes_alive(driver);
        fakes_reset(driver);
        driver->fail_call = call;
        driver->code = 999;
        error = (hed_error){0};
        hed_status status = life(device, &error);
        driver->fail_call = 0;
        CHECK_NE(status, HED_OK, "call %lld: the fake finds no class", (long long)call);
        CHECK(error.text[0] != 0, "call %lld: no word of it", (long long)call);
        CHECK_EQ(driver->misuses, 0, "call %lld (%s): %s", (long long)call, driver->failed,
            driver->misused);
        CHECK(fakes_alive(driver) <= before + (gives_back(driver->failed) ? 3 : 0),
            "call %lld (%s) leaves something", (long long)call, driver->failed);
        if (!driver->failures) break;
        failed++;
    }
    CHECK_GT(failed, 50);
    CHECK(strstr(error.text, "did not list"), "undisturbed: %s", error.text);
    hed_context_destroy(context);
}
