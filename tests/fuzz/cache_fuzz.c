/* Files of the cache of compiled kernels: any bytes at all, and the same bytes with a magic word
 * and a checksum that fit, which no fuzzer would find. What is taken for an entry must lie in the
 * file, whole. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "core/build_cache.h"

/* The head of a file, as it is on disk: written down here a second time on purpose. */
typedef struct head {
    char magic[16];
    uint64_t request_size, log_size, binary_size;
    double build_seconds;
    hed_hash checksum;
} head;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "cache_fuzz: %s\n", what);
    abort();
}

/* Gives whether the bytes are an entry, having looked at every byte of it. */
static bool parse(const char *bytes, size_t size)
{
    hed_cache_file file;
    if (!hed_cache_parse(bytes, size, &file)) return false;
    require(size >= sizeof(head), "an entry without a head");
    require(file.request == bytes + sizeof(head), "the request is not behind the head");
    require(file.log == file.request + file.request_size, "the log is not behind the request");
    require(
        (const char *)file.binary == file.log + file.log_size, "the binary is not behind the log");
    require((const char *)file.binary + file.binary_size == bytes + size,
        "the file does not end with the binary");
    require(file.log_size == 0 || file.log[file.log_size - 1] == 0, "a log without its zero");
    return true;
}

/* Makes the magic word fit, and the checksum where the sizes let it: true if the file must
 * be an entry now. */
static bool mend(char *bytes, size_t size)
{
    head h;
    if (size < sizeof h) return false;
    memcpy(&h, bytes, sizeof h);
    memcpy(h.magic, "heddle cache 1\n", sizeof h.magic);
    uint64_t left = size - sizeof h, sizes[3] = {h.request_size, h.log_size, h.binary_size};
    bool fits =
        sizes[0] <= left && sizes[1] <= left - sizes[0] && sizes[2] == left - sizes[0] - sizes[1];
    if (fits) {
        const char *at = bytes + sizeof h;
        hed_hash hash = hed_hash_bytes(hed_hash_start(), sizes, sizeof sizes);
        hash = hed_hash_bytes(hash, &h.build_seconds, sizeof h.build_seconds);
        for (int i = 0; i < 3; at += sizes[i++]) hash = hed_hash_bytes(hash, at, sizes[i]);
        h.checksum = hash;
        fits = sizes[1] == 0 || bytes[sizeof h + sizes[0] + sizes[1] - 1] == 0;
    }
    memcpy(bytes, &h, sizeof h);
    return fits;
}

/* Small numbers in place of the sizes, so that they add up now and then: the last one is what the
 * first two leave. */
static void shrink(char *bytes, size_t size)
{
    head h;
    if (size < sizeof h) return;
    memcpy(&h, bytes, sizeof h);
    uint64_t left = size - sizeof h;
    h.request_size = h.request_size % (left + 1);
    h.log_size = h.log_size % (left - h.request_size + 1);
    h.binary_size = left - h.request_size - h.log_size;
    memcpy(bytes, &h, sizeof h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size ? size : 1); /* of this very size, so that a byte too far is seen */
    if (!bytes) return 0;
    if (size) memcpy(bytes, data, size);
    require(parse(bytes, size) || !mend(bytes, size) || parse(bytes, size),
        "an entry that is whole was refused");
    shrink(bytes, size);
    if (mend(bytes, size)) require(parse(bytes, size), "an entry with small sizes was refused");
    free(bytes);
    return 0;
}
