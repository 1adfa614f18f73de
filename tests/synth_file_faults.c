/* Memory that runs out while an instrument file is read, copied and written: the n-th allocation
 * fails, for every n.
 */
#include <unistd.h>

#include "failing_malloc.h"
#include "heddle/synth_file.h"

static char path[] = "/tmp/heddle-faults-XXXXXX";

static hed_status try_file(const char *text)
{
    hed_error error = {0};
    hed_synth_instrument *instrument, *copy = NULL;
    hed_status status = hed_synth_instrument_parse(text, strlen(text), "i.json", &instrument, &error);
    if (status != HED_OK && (instrument || !error.text[0])) abort();
    if (status == HED_OK) status = hed_synth_instrument_copy(instrument, &copy, &error);
    if (status == HED_OK) status = hed_synth_instrument_save(copy, path, &error);
    if (status != HED_OK && !error.text[0]) abort();
    hed_synth_instrument_destroy(instrument);
    hed_synth_instrument_destroy(copy);
    /* What jansson makes of a string that it could not keep is some other failure: see
     * support_faults.c. */
    return status != HED_OK && hit ? HED_ERROR_MEMORY : status;
}

static hed_status try_grid(void)
{
    return try_file(
        "{\"version\": 1, \"grids\": [{\"kind\": \"plate\", \"name\": \"p\", \"size\": [4, 3], \"bend\": 9}], "
        "\"changes\": [{\"entity\": \"p[*,1]\", \"mass\": 0.5}, {\"entity\": \"p.springs[2]\", "
        "\"damping\": 0.1}], \"microphones\": [{\"name\": \"m\", \"position\": [0, 0, 1]}], "
        "\"links\": [{\"from\": \"m\", \"to\": \"p\"}]}");
}

static hed_status try_entities(void)
{
    return try_file(
        "{\"version\": 1, \"bodies\": [{\"name\": \"a\", \"position\": [0, 0, 0]}, {\"name\": \"b\", "
        "\"position\": [1, 0, 0]}], \"springs\": [{\"from\": \"a\", \"to\": \"b\"}], "
        "\"lfos\": [{\"name\": \"l\"}], \"envelopes\": [{\"envelope\": {\"attack\": 1}, \"route\": "
        "{\"channel\": 1}}], \"modulations\": [{\"source\": \"l\", \"target\": \"l\", "
        "\"parameter\": \"depth\"}]}");
}

int main(void)
{
    static const fault_case cases[] = {{"grid", try_grid}, {"entities", try_entities}};
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    int bad = try_all(cases, sizeof cases / sizeof *cases);
    remove(path);
    return bad != 0;
}
