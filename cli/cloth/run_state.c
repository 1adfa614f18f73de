/* State that a run of a scene saves next to its point cache, from which --resume continues bit
 * for bit. */
#include "run.h"

#include "heddle/author.h"
#include "support/file.h"
#include "support/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* version 1: caches began with frame 1, not with the start; 2: without a studio */
enum { VERSION = 3 };
static const size_t LARGEST = (size_t)1 << 36;

typedef struct header {
    char mark[8];
    uint32_t version, frames;
    cli_cloth_origin origin;
    cloth_studio studio; /* light and ground of the pictures so far */
    uint64_t size, hash; /* size and hash of the state that follows */
} header;

static const char MARK[8] = "HEDCLTH";

/* Continues an FNV-1a hash: enough to detect a difference. */
static uint64_t hash_on(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static const uint64_t HASH_START = 0xcbf29ce484222325u;

hed_status cli_cloth_origin_of(const char *path, const char *settings, const char *device,
    cli_cloth_origin *origin, hed_error *error)
{
    char *text;
    size_t size;
    if (hed_file_read(path, LARGEST, &text, &size, error)) return error->status;
    memset(origin, 0, sizeof *origin);
    origin->scene = hash_on(hash_on(HASH_START, text, size), settings, strlen(settings));
    snprintf(origin->device, sizeof origin->device, "%s", device);
    free(text);
    return HED_OK;
}

hed_status cli_cloth_state_save(const char *path, const cli_cloth_origin *origin, hed_cloth *cloth,
    const cloth_studio *studio, uint32_t frames, hed_error *error)
{
    header head;
    memset(&head, 0, sizeof head); /* the file has its gaps, too */
    head.version = VERSION;
    head.frames = frames;
    head.origin = *origin;
    head.size = hed_cloth_save_size(cloth);
    if (studio) memcpy(&head.studio, studio, sizeof *studio);
    memcpy(head.mark, MARK, sizeof MARK);
    hed_file_writer *writer;
    void *state = malloc(head.size);
    if (!state)
        return HED_OUT_OF_MEMORY(error, "the state, %llu bytes", (unsigned long long)head.size);
    if (!hed_cloth_save(cloth, state, error) && !hed_file_writer_open(path, &writer, error)) {
        head.hash = hash_on(HASH_START, state, head.size);
        hed_file_writer_put(writer, &head, sizeof head);
        hed_file_writer_put(writer, state, head.size);
        hed_file_writer_commit(writer, error);
    }
    free(state);
    return error->status;
}

hed_status cli_cloth_state_load(const char *path, const cli_cloth_origin *origin, hed_cloth *cloth,
    cloth_studio *studio, uint32_t *frames, bool *moved, hed_error *error)
{
    char *bytes;
    size_t size;
    header head = {0};
    *frames = 0;
    *moved = false;
    if (access(path, F_OK) != 0 && errno == ENOENT) return HED_OK;
    if (hed_file_read(path, LARGEST, &bytes, &size, error)) return error->status;
    hed_source_forget(path); /* the run continues and replaces it */
    if (size >= sizeof head) memcpy(&head, bytes, sizeof head);
    if (memcmp(head.mark, MARK, sizeof MARK) != 0 || head.version != VERSION ||
        size - sizeof head != head.size ||
        hash_on(HASH_START, bytes + sizeof head, head.size) != head.hash || head.frames == 0)
        hed_fail(error, HED_ERROR_FORMAT,
            "%s is no state of a run, or damaged; without --resume "
            "the run begins anew",
            path);
    else if (head.origin.scene != origin->scene)
        hed_fail(error, HED_ERROR_FORMAT,
            "%s belongs to another scene file, or to other options (--fps, --strict, --tethers, "
            "--mend, --substeps); without --resume the run begins anew",
            path);
    else hed_cloth_load(cloth, bytes + sizeof head, head.size, error);
    free(bytes);
    if (error->status) return error->status;
    *frames = head.frames;
    *studio = head.studio;
    *moved = strncmp(head.origin.device, origin->device, sizeof head.origin.device) != 0;
    return HED_OK;
}
