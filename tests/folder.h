/* A folder of its own for each test: TestSuite(name, .init = folder_make, .fini =
 * folder_remove). */
#ifndef HED_TESTS_FOLDER_H
#define HED_TESTS_FOLDER_H

#include <dirent.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "testing.h"

static char folder[64];

static inline void folder_make(void)
{
    strcpy(folder, "/tmp/heddle-test-XXXXXX");
    CHECK_NOT_NULL(mkdtemp(folder));
    CHECK_EQ(chmod(folder, 0755), 0);
}

static inline int folder_remove_entry(
    const char *path, const struct stat *about, int type, struct FTW *at)
{
    (void)about;
    (void)type;
    (void)at;
    return remove(path);
}

static inline void folder_remove(void)
{
    if (getuid() == 0 && seteuid(0) != 0) return; /* a test may have become somebody else */
    nftw(folder, folder_remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* A path in the folder; lasts until the fourth one after it. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][HED_PATH_MAX];
    static int used;
    char *path = paths[used++ % 4];
    CHECK(hed_path_join(path, folder, name));
    return path;
}

static inline void write_file(const char *path, const void *bytes, size_t size)
{
    hed_error error = {0};
    OK(hed_path_write_own(path, &bytes, &size, 1, &error));
}

/* The one file in a folder, hidden ones not counted. */
static inline const char *only_file_in(const char *path)
{
    static char found[HED_PATH_MAX];
    DIR *listing = opendir(path);
    int count = 0;
    CHECK_NOT_NULL(listing);
    for (struct dirent *file; (file = readdir(listing));) {
        if (file->d_name[0] == '.') continue;
        CHECK(hed_path_join(found, path, file->d_name));
        count++;
    }
    closedir(listing);
    CHECK_EQ(count, 1, "%d files in %s", count, path);
    return found;
}

#endif
