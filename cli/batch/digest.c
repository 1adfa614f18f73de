/* Digests of files: size and hash of the content, by which a batch detects changes of results and
 * inputs. A file that many jobs read is hashed once, unless it changes. */
#include "batch.h"

#include "support/file.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20, SETTLED_SECONDS = 2 };

/* A file whose digest stays valid while its times and size are unchanged. */
typedef struct known_file {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, changed;
    uint64_t hash;
} known_file;

static int digest_order(const void *a, const void *b)
{
    const known_file *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

static bool digest_is_same(const known_file *a, const known_file *b)
{
    return a->size == b->size && a->modified.tv_sec == b->modified.tv_sec &&
           a->modified.tv_nsec == b->modified.tv_nsec && a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Mixing function of Steele, Lea and Flood's SplitMix (2014), on 8 bytes at a time. */
static uint64_t digest_add(uint64_t hash, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        hash ^= word;
        hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
        hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
        hash ^= hash >> 31;
    }
    return hash;
}

static bool digest_read(int file, known_file *record, void (*tick)(void *user), void *user)
{
    static unsigned char piece[PIECE];
    size_t used = 0;
    uint64_t hash = 0x6a09e667f3bcc908u;
    record->size = 0;
    for (;;) {
        ssize_t got = read(file, piece + used, PIECE - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        used += (size_t)got;
        record->size += got;
        if (got && used < PIECE) continue;
        hash = digest_add(hash, piece, used);
        used = 0;
        if (tick) tick(user);
        if (!got) break;
    }
    record->hash = digest_add(hash, (const unsigned char *)&record->size, sizeof record->size);
    return true;
}

bool batch_digest_file(
    const char *path, void (*tick)(void *user), void *user, char text[BATCH_DIGEST])
{
    static void *tree; /* known files, by name */
    struct stat about;
    int file = hed_file_open_regular(path);
    bool good = file >= 0 && fstat(file, &about) == 0;
    if (good) {
        known_file now = {.device = about.st_dev,
            .inode = about.st_ino,
            .size = about.st_size,
            .modified = about.st_mtim,
            .changed = about.st_ctim};
        known_file *const *node = tfind(&now, &tree, digest_order), *record = node ? *node : NULL;
        if (record && digest_is_same(record, &now)) {
            now.hash = record->hash;
        } else if ((good = digest_read(file, &now, tick, user)) &&
                   time(NULL) - about.st_ctim.tv_sec > SETTLED_SECONDS) {
            /* a file that was just written may change again within a tick of the clock */
            if (!record && (record = malloc(sizeof *record))) {
                *record = now;
                if (!tsearch(record, &tree, digest_order)) free(record);
            } else if (record) {
                *record = now;
            }
        }
        snprintf(text, BATCH_DIGEST, "%lld:%016" PRIx64, (long long)now.size, now.hash);
    }
    if (file >= 0) close(file);
    return good;
}
