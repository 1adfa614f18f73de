/* Point caches in the PC2 format: "POINTCACHE2", a header of 32 bytes, then the positions of all
 * vertices for each frame. The header's count is written after a frame's data, so a program that
 * reads the file finds whole frames, even while the file grows. */
#include "files/mesh_file.h"

#include "heddle/author.h"
#include "support/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Header as stored in the file. */
typedef struct header {
    char magic[12];
    int32_t version, points;
    float start, sampling;
    int32_t samples;
} header;
_Static_assert(
    sizeof(header) == 32 && offsetof(header, samples) == 28, "a PC2 header has 32 bytes");

static const char magic[12] = "POINTCACHE2";
static const uint64_t largest_cache = (uint64_t)1 << 38;

struct hed_cloth_pc2 {
    int file;
    char *path;
    uint32_t vertex_count, frames;
    int failed; /* errno of the first failure: afterwards only closing is possible */
};

static uint64_t pc2_frame_bytes(uint32_t vertex_count)
{
    return (uint64_t)vertex_count * 3 * sizeof(float);
}

/* ---- the header ---- */

/* Checks a header, and that a file of `size` bytes contains its frames. Errors: FORMAT. */
static hed_status check_header(
    const char *name, const header *head, uint64_t size, hed_error *error)
{
    if (size < sizeof *head || memcmp(head->magic, magic, sizeof magic) != 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s is no PC2 file: expected \"POINTCACHE2\" and a header of 32 bytes, found %s", name,
            size < sizeof *head ? "fewer bytes" : "others");
    if (head->version != 1)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s: found PC2 version %d, expected 1", name, head->version);
    if (head->points < 1 || head->samples < 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: found %d points and %d frames in the header, expected at least 1 and 0", name,
            head->points, head->samples);
    uint64_t bytes = pc2_frame_bytes((uint32_t)head->points), whole = (size - sizeof *head) / bytes;
    if (whole < (uint64_t)head->samples)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s is cut: expected %d frames of %d points, found %llu whole ones", name,
            head->samples, head->points, (unsigned long long)whole);
    return HED_OK;
}

/* ---- writing ---- */

static bool write_at(int file, const void *bytes, uint64_t size, uint64_t offset)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t written = pwrite(file, at, size < 1u << 30 ? size : 1u << 30, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            if (written == 0) errno = EIO;
            return false;
        }
        at += written;
        offset += (uint64_t)written;
        size -= (uint64_t)written;
    }
    return true;
}

static hed_status fail(hed_cloth_pc2 *cache, hed_error *error)
{
    if (!cache->failed) cache->failed = errno ? errno : EIO;
    return hed_fail(error, HED_ERROR_IO, "cannot write %s: %s; its first %u samples are whole",
        cache->path, strerror(cache->failed), cache->frames);
}

static hed_status pc2_open_cache(
    const char *path, uint32_t vertex_count, int flags, hed_cloth_pc2 **result, hed_error *error)
{
    *result = NULL;
    if (vertex_count == 0 || vertex_count > INT32_MAX)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: a point cache of %u vertices, expected 1 to %d", path, vertex_count, INT32_MAX);
    hed_cloth_pc2 *cache = calloc(1, sizeof *cache);
    if (!cache || !(cache->path = strdup(path))) {
        free(cache);
        return hed_fail(error, HED_ERROR_MEMORY, "out of memory while opening %s", path);
    }
    cache->vertex_count = vertex_count;
    hed_status allowed = hed_output_begin(path, error);
    if (allowed != HED_OK) {
        free(cache->path);
        free(cache);
        return allowed;
    }
    cache->file = open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
    struct stat about;
    bool pipe = cache->file >= 0 && fstat(cache->file, &about) == 0 && S_ISFIFO(about.st_mode);
    if (cache->file < 0 || pipe) {
        hed_status status = hed_fail(error, HED_ERROR_IO, "cannot open %s for writing: %s", path,
            pipe ? "it is a pipe, and the head of a point cache is written again with "
                   "every frame"
                 : strerror(errno));
        if (pipe) close(cache->file);
        free(cache->path);
        free(cache);
        return status;
    }
    hed_output_written(path);
    *result = cache;
    return HED_OK;
}

/* Closes a cache that could not be opened completely; returns `status`. */
static hed_status give_up(hed_cloth_pc2 *cache, hed_status status)
{
    close(cache->file);
    free(cache->path);
    free(cache);
    return status;
}

hed_status hed_cloth_pc2_create(const char *path, uint32_t vertex_count, float start,
    float sampling, hed_cloth_pc2 **cache, hed_error *error)
{
    HED_REQUIRE(path, cache);
    *cache = NULL;
    hed_cloth_pc2 *result;
    hed_status status = pc2_open_cache(path, vertex_count, O_CREAT | O_TRUNC, &result, error);
    if (status != HED_OK) return status;
    header head = {
        .version = 1, .points = (int32_t)vertex_count, .start = start, .sampling = sampling};
    memcpy(head.magic, magic, sizeof magic);
    if (!write_at(result->file, &head, sizeof head, 0)) return give_up(result, fail(result, error));
    *cache = result;
    return HED_OK;
}

/* Sets the number of frames, the header first: the file never has fewer frames than its header. */
static bool keep_frames(hed_cloth_pc2 *cache, uint32_t frames)
{
    int32_t samples = (int32_t)frames;
    if (!write_at(cache->file, &samples, sizeof samples, offsetof(header, samples))) return false;
    cache->frames = frames;
    return ftruncate(cache->file,
               (off_t)(sizeof(header) + frames * pc2_frame_bytes(cache->vertex_count))) == 0;
}

hed_status hed_cloth_pc2_resume(const char *path, uint32_t vertex_count, hed_cloth_pc2 **cache,
    uint32_t *frames, hed_error *error)
{
    HED_REQUIRE(path, cache, frames);
    *cache = NULL;
    *frames = 0;
    hed_cloth_pc2 *result;
    hed_status status = pc2_open_cache(path, vertex_count, 0, &result, error);
    if (status != HED_OK) return status;
    struct stat about;
    header head = {0};
    if (fstat(result->file, &about) != 0 || pread(result->file, &head, sizeof head, 0) < 0)
        return give_up(
            result, hed_fail(error, HED_ERROR_IO, "cannot read %s: %s", path, strerror(errno)));
    /* A file that lost its end (a crash of the machine) is continued after its last whole frame. */
    uint64_t whole = about.st_size > (off_t)sizeof head
                         ? ((uint64_t)about.st_size - sizeof head) / pc2_frame_bytes(vertex_count)
                         : 0;
    bool fits_mesh = head.points == (int32_t)vertex_count;
    if (fits_mesh && head.samples > 0 && (uint64_t)head.samples > whole)
        head.samples = (int32_t)whole;
    status = check_header(path, &head, (uint64_t)about.st_size, error);
    if (status != HED_OK) return give_up(result, status);
    if (!fits_mesh)
        return give_up(result, hed_fail(error, HED_ERROR_FORMAT,
                                   "%s has %d vertices, expected %u: it belongs to another mesh",
                                   path, head.points, vertex_count));
    if (!keep_frames(result, (uint32_t)head.samples)) return give_up(result, fail(result, error));
    *frames = result->frames;
    *cache = result;
    return HED_OK;
}

hed_status hed_cloth_pc2_cut(hed_cloth_pc2 *cache, uint32_t frames, hed_error *error)
{
    HED_REQUIRE(cache);
    if (cache->failed) return fail(cache, error);
    if (frames > cache->frames)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s has %u frames, and cannot be cut to %u",
            cache->path, cache->frames, frames);
    return keep_frames(cache, frames) ? HED_OK : fail(cache, error);
}

hed_status hed_cloth_pc2_add(hed_cloth_pc2 *cache, const float *positions, hed_error *error)
{
    HED_REQUIRE(cache, positions);
    if (cache->failed) return fail(cache, error);
    hed_status status =
        cloth_mesh_require_finite(cache->path, positions, cache->vertex_count, error);
    if (status != HED_OK) return status;
    if (cache->frames == INT32_MAX)
        return hed_fail(error, HED_ERROR_LIMIT, "%s has %u frames, the most that a PC2 file counts",
            cache->path, cache->frames);
    uint64_t bytes = pc2_frame_bytes(cache->vertex_count);
    int32_t samples = (int32_t)(cache->frames + 1);
    if (!write_at(cache->file, positions, bytes, sizeof(header) + cache->frames * bytes) ||
        !write_at(cache->file, &samples, sizeof samples, offsetof(header, samples))) {
        cache->failed = errno;
        /* a partial frame after the others would be harmless, but is removed */
        (void)keep_frames(cache, cache->frames);
        return fail(cache, error);
    }
    cache->frames++;
    return HED_OK;
}

hed_status hed_cloth_pc2_close(hed_cloth_pc2 *cache, hed_error *error)
{
    if (!cache) return HED_OK;
    hed_status status = cache->failed ? fail(cache, error) : HED_OK;
    /* EINVAL: a file that cannot be made durable, such as a pipe. */
    if (fsync(cache->file) != 0 && errno != EINVAL && status == HED_OK) status = fail(cache, error);
    if (close(cache->file) != 0 && status == HED_OK) status = fail(cache, error);
    free(cache->path);
    free(cache);
    return status;
}

/* ---- reading ---- */

hed_status cloth_pc2_parse(
    const char *name, const void *bytes, size_t size, hed_cloth_pc2_data *data, hed_error *error)
{
    *data = (hed_cloth_pc2_data){0};
    header head = {0};
    memcpy(&head, bytes, size < sizeof head ? size : sizeof head);
    hed_status status = check_header(name, &head, size, error);
    if (status != HED_OK) return status;
    size_t used = (size_t)head.samples * pc2_frame_bytes((uint32_t)head.points);
    float *positions = malloc(used ? used : 1);
    if (!positions) return HED_OUT_OF_MEMORY(error, "the %d frames of %s", head.samples, name);
    memcpy(positions, (const char *)bytes + sizeof head, used);
    *data = (hed_cloth_pc2_data){
        (uint32_t)head.points, (uint32_t)head.samples, head.start, head.sampling, positions};
    return HED_OK;
}

hed_status hed_cloth_pc2_read(const char *path, hed_cloth_pc2_data *data, hed_error *error)
{
    HED_REQUIRE(path, data);
    *data = (hed_cloth_pc2_data){0};
    char *bytes;
    size_t size;
    hed_status status = hed_file_read(path, cloth_file_limit(largest_cache), &bytes, &size, error);
    if (status != HED_OK) return status;
    status = cloth_pc2_parse(path, bytes, size, data, error);
    free(bytes);
    return status;
}

void hed_cloth_pc2_free(hed_cloth_pc2_data *data)
{
    if (!data) return;
    free(data->positions);
    *data = (hed_cloth_pc2_data){0};
}
