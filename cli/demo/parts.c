/* The parts of the demo's page: one sentence and one figure each. */
#include "cli/demo/demo.h"

#include "cli/common/browser_place.h"
#include "support/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes a device's name with single blanks and without "(R)", since vendors pad names. */
static void put_name(FILE *page, const char *name)
{
    char words[128];
    size_t length = 0;
    for (const char *c = name; *c && length + 1 < sizeof words; c++) {
        if (strncmp(c, "(R)", 3) == 0) c += 2;
        else if (*c != ' ' || (length && words[length - 1] != ' ')) words[length++] = *c;
    }
    words[length] = 0;
    demo_put_text(page, words);
}

static void put_picture(FILE *page, const char *file, const char *words)
{
    fprintf(page, "<a href=\"%s\"><img src=\"%s\" alt=\"%s\"></a>", file, file, words);
}

/* ---- runtime ---- */

static void put_devices(FILE *page, hed_json_node devices)
{
    size_t count = hed_json_count(devices), working = 0;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        hed_json_node device = hed_json_item(devices, i);
        if (!hed_json_boolean(hed_json_member(device, "works"))) continue;
        working++;
        largest = fmax(largest, demo_number(device, "difference", NULL));
    }
    if (working > 1) fprintf(page, "<b>largest difference %g</b> between %zu devices: ", largest, working);
    else fputs("one device, so there is nothing to compare it with: ", page);
    for (size_t i = 0; i < count; i++) {
        hed_json_node device = hed_json_item(devices, i);
        fputs(i ? ", " : "", page);
        put_name(page, hed_json_string(hed_json_member(device, "name")));
        fprintf(page, " (<code>%s</code>", hed_json_string(hed_json_member(device, "id")));
        bool works = hed_json_boolean(hed_json_member(device, "works"));
        fputs(works ? ")" : ", left out: it has no strict mode)", page);
    }
}

hed_status demo_runtime(const demo *d, hed_error *error)
{
    hed_json *json = NULL;
    const char *words[] = {
        "heddle", "demo", "blur", "--out", d->folder, d->quick ? "--quick" : NULL, NULL};
    if (demo_run(words, &json, error)) return error->status;
    fputs("<p>One kernel, a 17 x 17 convolution described once, gives the woven cloth on the left a camera's depth of "
          "field, with the same bits on every device of this machine.</p>\n<figure class=\"pair\">",
        d->page);
    put_picture(d->page, "woven.png", "woven cloth, sharp everywhere");
    put_picture(d->page, "woven-blurred.png", "the same cloth, blurred in front and behind");
    fputs("<figcaption>The original; the blurred: ", d->page);
    put_devices(d->page, hed_json_root(json));
    fputs(".</figcaption></figure>\n", d->page);
    hed_json_status(json, error);
    hed_json_free(json);
    return error->status;
}

/* ---- tuner ---- */

/* Copies the id of the first GPU with a compiler; "" if there is no such GPU. */
static hed_status compiling_gpu(char id[64], hed_error *error)
{
    hed_json *json = NULL;
    const char *const words[] = {"heddle", "devices", "--json", NULL};
    id[0] = 0;
    if (demo_run(words, &json, error)) return error->status;
    hed_json_node list = hed_json_root(json);
    for (size_t i = 0; i < hed_json_count(list) && !id[0]; i++) {
        hed_json_node device = hed_json_item(list, i);
        const char *backend = hed_json_string(hed_json_member(device, "backend"));
        bool compiles = strcmp(backend, "cuda") == 0 || strcmp(backend, "hip") == 0 ||
                        strcmp(backend, "opencl") == 0;
        if (compiles && strcmp(hed_json_string(hed_json_member(device, "type")), "gpu") == 0)
            snprintf(id, 64, "%s", hed_json_string(hed_json_member(device, "id")));
    }
    hed_json_status(json, error);
    hed_json_free(json);
    return error->status;
}

/* Number of configurations that a tuning tried. */
static double tried(hed_json_node result)
{
    static const char *const outcomes[] = {"measured", "dropped", "invalid", "build", "launch",
        "wrong", "crashed", "hung", "impossible"};
    double sum = 0;
    for (size_t i = 0; i < HED_COUNT(outcomes); i++)
        sum += demo_number(result, "evaluations", outcomes[i]);
    return sum;
}

/* Writes the sentence and the figure of a tuning, except the end of its caption. */
static void put_tuning(const demo *d, const char *subject, const char *space, double count,
    hed_json_node result, hed_json_node results)
{
    double shortest = 1e3 * demo_number(result, "seconds", NULL);
    double gain = demo_number(result, "gain", NULL);
    bool faster = gain >= 1.005; /* not "1.00 times faster" */
    fprintf(d->page, "<p><b>%s: ", subject);
    if (faster) fprintf(d->page, "%.2f times faster", gain);
    else fputs("the default is the fastest", d->page);
    fputs("</b>; ", d->page);
    demo_put_count(d->page, count);
    fputs(" of ", d->page);
    demo_put_count(d->page, demo_number(result, "space", NULL));
    fprintf(d->page, " %s tried, checked and timed on ", space);
    put_name(d->page, hed_json_string(hed_json_member(result, "device_name")));
    fputs(".</p>\n<figure class=\"plot\">", d->page);
    demo_draw_tuning(d->page, results);
    fprintf(d->page,
        "<figcaption>A dot for each, in the order tried: the lower, the faster. %.3g ms", shortest);
    if (faster) fprintf(d->page, " instead of the default's %.3g", shortest * gain);
}

/* put_tuning() for `heddle tune`, whose T4 file has the results. */
static hed_status put_tuned_kernel(const demo *d, const char *subject, const char *space,
    const char *table, const char *report, hed_json *json, hed_error *error)
{
    hed_json *t4 = NULL;
    hed_json_node result = hed_json_root(json);
    if (hed_json_read(demo_output(d, table).text, &t4, error)) return error->status;
    put_tuning(
        d, subject, space, tried(result), result, hed_json_member(hed_json_root(t4), "results"));
    fprintf(
        d->page, ". <a href=\"%s\">Which parameters matter</a></figcaption></figure>\n", report);
    hed_json_status(t4, error);
    hed_json_free(t4);
    return error->status;
}

/* Tunes the convolution on a GPU; without one, a blur in plain C on the processor, whose kernel
 * compiler would be 400 MB. */
hed_status demo_tuner(const demo *d, hed_error *error)
{
    char gpu[64];
    hed_json *json = NULL;
    if (compiling_gpu(gpu, error)) return error->status;
    demo_path report = demo_output(d, "tuning.html"), table = demo_output(d, "tuning.json");
    const char *const on_gpu[] = {"heddle", "tune", "heddle:convolution", "--device", gpu,
        "--budget", d->quick ? "20" : "60", "--no-keep", "--report", report.text, "--t4",
        table.text, "--json", NULL};
    const char *on_processor[] = {
        "heddle", "demo", "tiles", "--out", d->folder, d->quick ? "--quick" : NULL, NULL};
    if (demo_run(gpu[0] ? on_gpu : on_processor, &json, error)) return error->status;
    if (gpu[0]) {
        put_tuned_kernel(d, "Your GPU", "ways to launch the convolution above", "tuning.json",
            "tuning.html", json, error);
    } else {
        hed_json_node result = hed_json_item(hed_json_root(json), 0);
        put_tuning(d, "Your processor", "orders and tilings of a blur's loops in C",
            demo_number(result, "tried", NULL), result, hed_json_member(result, "results"));
        fputs(", a pixel after the other.</figcaption></figure>\n", d->page);
    }
    hed_json_status(json, error);
    hed_json_free(json);
    return error->status;
}

/* ---- cloth ---- */

hed_status demo_cloth(const demo *d, hed_error *error)
{
    hed_json *json = NULL;
    const char *frames = d->quick ? "30" : "90";
    demo_path scene = demo_data(d, "scenes/flag.json"), cache = demo_output(d, "flag.pc2"),
              model = demo_output(d, "flag.glb");
    const char *const words[] = {"heddle", "cloth", "run", scene.text, "--fps", "30", "--frames",
        frames, "--out", cache.text, "--animated", model.text, "--png-every", frames, "--pictures",
        "software", "--json", NULL};
    if (demo_run(words, &json, error)) return error->status;
    hed_json_node run = hed_json_item(hed_json_root(json), 0);
    fputs("<p>A flag of ", d->page);
    demo_put_count(d->page, demo_number(run, "particles", NULL));
    fprintf(d->page, " particles in gusts of wind, each frame computed in %.1f ms on <code>%s</code>: drag to turn it.</p>\n",
        demo_number(run, "frame_ms", "p50"), hed_json_string(hed_json_member(run, "device")));
    fprintf(d->page, "<figure><canvas id=\"flag\" class=\"model\" data-model=\"flag-glb\" tabindex=\"0\" role=\"img\" "
                     "aria-label=\"a flag that moves\"></canvas>"
                     "<img class=\"still\" hidden src=\"flag-00%s.png\" alt=\"the flag at the end\">"
                     "<script type=\"text/plain\" id=\"flag-glb\">",
        frames);
    hed_json_status(json, error);
    hed_json_free(json);
    if (!hed_failed(error)) demo_put_file(d, "flag.glb", error);
    fputs("</script><figcaption>", d->page);
    demo_put_link(d, "flag.glb");
    fputs(", the animation that is shown; ", d->page);
    demo_put_link(d, "flag.pc2");
    fputs(" for Blender's Mesh Cache, beside <a href=\"flag-mesh.obj\">flag-mesh.obj</a></figcaption></figure>\n", d->page);
    return error->status;
}

/* ---- synth ---- */

hed_status demo_synth(const demo *d, hed_error *error)
{
    hed_json *json = NULL;
    demo_path instrument = demo_data(d, "instruments/harp.json"),
              song = demo_data(d, "music/phrases/harp.mid"), sound = demo_output(d, "harp.wav"),
              spectrogram = demo_output(d, "harp.png");
    const char *const words[] = {"heddle", "synth", "render", instrument.text, song.text, "--out",
        sound.text, "--spectrogram", spectrogram.text, "--json", NULL};
    if (demo_run(words, &json, error)) return error->status;
    hed_json_node run = hed_json_item(hed_json_root(json), 0);
    fprintf(d->page, "<p>A harp of masses and springs, each of which moves 48,000 times a second, rendered %.1f times faster "
                     "than it sounds on <code>%s</code>: play it.</p>\n<figure class=\"pair\">",
        demo_number(run, "times_real_time", NULL), hed_json_string(hed_json_member(run, "device")));
    hed_json_status(json, error);
    hed_json_free(json);
    if (!hed_failed(error)) demo_draw_instrument(d->page, instrument.text, error);
    fputs("<div><audio controls preload=\"metadata\" src=\"harp.wav\"></audio>", d->page);
    put_picture(d->page, "harp.png", "spectrogram of the phrase");
    fputs("</div><figcaption>The instrument, a dot for each mass and a line for each spring; its sound, and the spectrogram of "
          "that.</figcaption></figure>\n",
        d->page);
    return error->status;
}

/* ---- mppi ---- */

hed_status demo_mppi(const demo *d, hed_error *error)
{
    hed_json *json = NULL;
    demo_path scene = demo_data(d, "mppi/car.json"), plot = demo_output(d, "car.svg");
    const char *const words[] = {"heddle", "mppi", "run", scene.text, "--steps",
        d->quick ? "40" : "150", "--plot", plot.text, "--json", NULL};
    if (demo_run(words, &json, error)) return error->status;
    hed_json_node run = hed_json_item(hed_json_root(json), 0);
    fputs("<p>A car drives round a track among others: before each move it looks at ", d->page);
    demo_put_count(d->page, demo_number(run, "samples", NULL));
    fprintf(d->page, " futures of %.1f s, in %.1f ms on <code>%s</code>.</p>\n<figure class=\"top\">",
        demo_number(run, "horizon", NULL) * demo_number(run, "dt", NULL),
        demo_number(run, "solve_ms", "p50"), hed_json_string(hed_json_member(run, "device")));
    put_picture(d->page, "car.svg", "the way of the car, and sampled futures at some of its places");
    fputs("<figcaption>Black: the way it took. Coloured: futures that it looked at, from cheap (blue) to expensive (yellow). "
          "<a href=\"car.svg\">Controls, cost and times</a></figcaption></figure>\n",
        d->page);
    hed_json_status(json, error);
    hed_json_free(json);
    return error->status;
}

/* ---- css ---- */

/* Writes a line of a sheet with its unused parts marked; the list is in order of lines. */
static void put_sheet_line(FILE *page, char *line, double number, hed_json_node list)
{
    char *at = line;
    for (size_t i = 0; i < hed_json_count(list); i++) {
        hed_json_node part = hed_json_item(list, i);
        if (demo_number(part, "line", NULL) != number) continue;
        const char *kind = hed_json_string(hed_json_member(part, "kind"));
        const char *selector = hed_json_string(hed_json_member(part, "selector"));
        char *begin = strstr(at, kind[0] == '@' ? kind : selector);
        if (!begin) continue;
        double bytes = fmin(demo_number(part, "bytes", NULL), (double)strlen(begin));
        char *end = begin + (size_t)bytes, saved = *begin;
        *begin = 0;
        demo_put_text(page, at);
        *begin = saved;
        saved = *end;
        *end = 0;
        fputs("<mark>", page);
        demo_put_text(page, begin);
        fputs("</mark>", page);
        *end = saved;
        at = end;
    }
    demo_put_text(page, at);
    fputc('\n', page);
}

static void put_sheet(FILE *page, char *text, hed_json_node list)
{
    double number = 1;
    fputs("<figure><pre>", page);
    for (char *line = text, *end; *line; line = end, number++) {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        else end = line + strlen(line);
        put_sheet_line(page, line, number, list);
    }
    fputs("</pre><figcaption>Marked: what no page uses. <a href=\"unused.html\">Where each rule is used, and how often</a>"
          "</figcaption></figure>\n",
        page);
}

hed_status demo_css(const demo *d, hed_error *error)
{
    enum { LIMIT = 1 << 20 };
    hed_json *json = NULL;
    char *text = NULL;
    size_t size = 0;
    double bytes = 0;
    demo_path site = demo_data(d, "site"), sheet = demo_data(d, "site/shop.css"),
              report = demo_output(d, "unused.html");
    const char *const words[] = {
        "heddle", "css", "unused", site.text, "--report", report.text, "--json", NULL};
    if (demo_run(words, &json, error) || hed_file_read(sheet.text, LIMIT, &text, &size, error)) {
        hed_json_free(json);
        return error->status;
    }
    hed_json_node list = hed_json_root(json);
    for (size_t i = 0; i < hed_json_count(list); i++)
        bytes += demo_number(hed_json_item(list, i), "bytes", NULL);
    fputs("<p>The three pages of a small shop, matched against their style sheet in one pass, use none "
          "of its marked parts: ",
        d->page);
    demo_put_count(d->page, bytes);
    fputs(" of ", d->page);
    demo_put_count(d->page, (double)size);
    fputs(" bytes.</p>\n", d->page);
    put_sheet(d->page, text, list);
    free(text);
    hed_json_status(json, error);
    hed_json_free(json);
    return error->status;
}

/* ---- shaders ---- */

/* Finds a browser that runs without a window; NULL if there is no browser. */
static const char *find_browser(void)
{
    char program[PATH_MAX];
    return cli_browser_find(cli_chromiums, program)   ? "chromium"
           : cli_browser_find(cli_firefoxes, program) ? "firefox"
                                                      : NULL;
}

hed_status demo_shaders(const demo *d, hed_error *error)
{
    hed_json *json = NULL;
    const char *browser = find_browser();
    if (!browser)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "this machine has no browser that shaders could be tuned in (Debian: apt install chromium)");
    if (d->quick) return hed_fail(error, HED_ERROR_UNSUPPORTED, "the quick demo opens no browser");
    char subject[128];
    demo_path file = demo_data(d, "web/small.json"), report = demo_output(d, "shaders.html"),
              table = demo_output(d, "shaders.json");
    const char *const words[] = {"heddle", "tune", file.text, "--browser", browser, "--headless",
        "--budget", "12", "--no-keep", "--report", report.text, "--t4", table.text, "--json", NULL};
    if (demo_run(words, &json, error)) return error->status;
    snprintf(subject, sizeof subject, "A page's blur in WGSL, in %s", browser);
    put_tuned_kernel(d, subject, "ways to launch it", "shaders.json", "shaders.html", json, error);
    hed_json_status(json, error);
    hed_json_free(json);
    return error->status;
}
