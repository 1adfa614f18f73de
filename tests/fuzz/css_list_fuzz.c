/* libFuzzer harness for the list of texts that `heddle css unused --json -` reads: texts and
 * patterns are added, or the error has a message. Lists that may name files are left out. */
#include "cli/css/text_list.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && (memchr(data, '/', size) || memchr(data, '\\', size) || memchr(data, '.', size)))
        return 0;
    fuzz_folder();
    must(chdir(fuzz_folder_made) == 0); /* empty: no path is one of a file */
    char *text = fuzz_copy(data, size);
    css_settings settings = {.json = true};
    hed_error error = {0};
    if (css_is_text_list(text, size)) {
        hed_status status = css_text_list_read(&settings, text, size, &error);
        must(status == error.status && (status == HED_OK || error.text[0]));
        for (uint32_t i = 0; i < settings.sheets.count; i++) must(settings.sheets.paths[i][0]);
        for (uint32_t i = 0; i < settings.words.count; i++)
            must(strlen(settings.words.texts[i].text) == settings.words.texts[i].length);
    }
    css_settings_close(&settings);
    free(text);
    return 0;
}
