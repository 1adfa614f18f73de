/* Point caches: what a reader finds at any moment of a file's life. */
#include "test.h"
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "folder.h"
#include "heddle/cloth_mesh.h"

enum { VERTICES = 5, FRAME = VERTICES * 3 };

TestSuite(cloth_pc2, .init = folder_make, .fini = folder_remove);

/* Positions of frame `number`. */
static const float *frame(uint32_t number)
{
    static float positions[FRAME];
    for (uint32_t i = 0; i < FRAME; i++) positions[i] = (float)number + 0.01f * (float)i;
    return positions;
}

/* A cache of these frames, closed. */
static void make(const char *path, uint32_t frames)
{
    hed_error error = {0};
    hed_cloth_pc2 *cache;
    OK(hed_cloth_pc2_create(path, VERTICES, 1, 0.5f, &cache, &error));
    for (uint32_t i = 0; i < frames; i++) OK(hed_cloth_pc2_add(cache, frame(i), &error));
    OK(hed_cloth_pc2_close(cache, &error));
}

/* Exactly these frames are there, whole. */
static void expect_frames(const char *path, const uint32_t *numbers, uint32_t count)
{
    hed_error error = {0};
    hed_cloth_pc2_data data;
    OK(hed_cloth_pc2_read(path, &data, &error));
    CHECK_EQ(data.vertex_count, VERTICES);
    CHECK_EQ(data.frame_count, count);
    CHECK(data.start == 1 && data.sampling == 0.5f);
    for (uint32_t i = 0; i < count; i++)
        CHECK_EQ(memcmp(data.positions + i * FRAME, frame(numbers[i]), sizeof(float) * FRAME), 0,
            "frame %u differs", i);
    hed_cloth_pc2_free(&data);
    CHECK_NULL(data.positions);
}

static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7};

static long size_of(const char *path)
{
    struct stat about;
    CHECK_EQ(stat(path, &about), 0);
    return (long)about.st_size;
}

Test(cloth_pc2, bytes_are_those_of_the_format)
{
    make(in_folder("a.pc2"), 2);
    unsigned char bytes[200];
    FILE *file = fopen(in_folder("a.pc2"), "rb");
    CHECK_NOT_NULL(file);
    CHECK_EQ(fread(bytes, 1, sizeof bytes, file), 32 + 2 * 4 * FRAME);
    fclose(file);
    static const unsigned char head[32] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', 0,
        1, 0, 0, 0, VERTICES, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x3f, 2, 0, 0, 0};
    CHECK_EQ(memcmp(bytes, head, sizeof head), 0);
    CHECK_EQ(memcmp(bytes + 32 + 4 * FRAME, frame(1), 4 * FRAME), 0);
}

Test(cloth_pc2, every_finished_frame_is_readable_at_once)
{
    hed_error error = {0};
    hed_cloth_pc2 *cache;
    OK(hed_cloth_pc2_create(in_folder("a.pc2"), VERTICES, 1, 0.5f, &cache, &error));
    expect_frames(in_folder("a.pc2"), in_order, 0);
    for (uint32_t i = 0; i < 4; i++) {
        OK(hed_cloth_pc2_add(cache, frame(i), &error));
        expect_frames(in_folder("a.pc2"), in_order, i + 1);
    }
    OK(hed_cloth_pc2_close(cache, &error));
    OK(hed_cloth_pc2_close(NULL, &error));
}

Test(cloth_pc2, resuming_and_cutting)
{
    hed_error error = {0};
    hed_cloth_pc2 *cache;
    uint32_t frames;
    const char *path = in_folder("a.pc2");
    make(path, 3);
    OK(hed_cloth_pc2_resume(path, VERTICES, &cache, &frames, &error));
    CHECK_EQ(frames, 3);
    OK(hed_cloth_pc2_add(cache, frame(3), &error));
    OK(hed_cloth_pc2_cut(cache, 2, &error));
    expect_frames(path, in_order, 2);
    CHECK_EQ(size_of(path), 32 + 2 * 4 * FRAME);
    OK(hed_cloth_pc2_add(cache, frame(7), &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_pc2_cut(cache, 4, &error));
    OK(hed_cloth_pc2_close(cache, &error));
    expect_frames(path, (const uint32_t[]){0, 1, 7}, 3);
}

/* What an interrupted run may leave: half a frame behind the whole ones, or a file that lost its
 * end. */
Test(cloth_pc2, resuming_behind_the_last_whole_frame)
{
    hed_error error = {0};
    hed_cloth_pc2 *cache;
    uint32_t frames;
    const char *path = in_folder("a.pc2");
    for (long lost = -50; lost <= 3 * 4 * FRAME; lost += 7) { /* below 0: so many bytes more */
        make(path, 3);
        CHECK_EQ(truncate(path, 32 + 3 * 4 * FRAME - lost), 0);
        OK(hed_cloth_pc2_resume(path, VERTICES, &cache, &frames, &error));
        uint32_t whole = lost <= 0 ? 3 : (uint32_t)(3 - (lost + 4 * FRAME - 1) / (4 * FRAME));
        CHECK_EQ(frames, whole, "%ld bytes lost: %u frames", lost, frames);
        expect_frames(path, in_order, whole);
        OK(hed_cloth_pc2_add(cache, frame(whole), &error));
        OK(hed_cloth_pc2_close(cache, &error));
        expect_frames(path, in_order, whole + 1);
    }
}

Test(cloth_pc2, what_is_no_cache_of_this_mesh_is_refused)
{
    hed_error error = {0};
    hed_cloth_pc2 *cache = NULL;
    hed_cloth_pc2_data data;
    uint32_t frames;
    const char *path = in_folder("a.pc2");
    FAILS(HED_ERROR_IO, hed_cloth_pc2_read(path, &data, &error));
    FAILS(HED_ERROR_IO, hed_cloth_pc2_resume(path, VERTICES, &cache, &frames, &error));
    FAILS(HED_ERROR_IO,
        hed_cloth_pc2_create(in_folder("no/such/folder"), VERTICES, 0, 1, &cache, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_pc2_create(path, 0, 0, 1, &cache, &error));
    make(path, 1);
    FAILS(HED_ERROR_FORMAT, hed_cloth_pc2_resume(path, VERTICES + 1, &cache, &frames, &error));
    CHECK(strstr(error.text, "has 5 vertices, expected 6"), "%s", error.text);
    CHECK_NULL(cache);
    expect_frames(path, in_order, 1); /* untouched */
    char bytes[32 + 4 * FRAME];
    FILE *file = fopen(path, "rb");
    CHECK(file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes);
    fclose(file);
    static const struct {
        int offset, value;
        const char *words;
    } damages[] = {
        {0, 'X', "is no PC2 file"},
        {11, '3', "is no PC2 file"},
        {12, 2, "version 2"},
        {19, 0x80, "points"},
        {16, 0, "0 points"},
        {28, 2, "expected 2 frames of 5 points, found 1 whole"},
        {31, 0x80, "frames"},
        {31, 0x7f, "is cut"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char before = bytes[damages[i].offset];
        bytes[damages[i].offset] = (char)damages[i].value;
        write_file(path, bytes, sizeof bytes);
        FAILS(HED_ERROR_FORMAT, hed_cloth_pc2_read(path, &data, &error));
        CHECK(strstr(error.text, damages[i].words), "\"%s\" is not in \"%s\"", damages[i].words,
            error.text);
        bytes[damages[i].offset] = before;
    }
    for (size_t size = 0; size < sizeof bytes; size++) {
        write_file(path, bytes, size);
        FAILS(HED_ERROR_FORMAT, hed_cloth_pc2_read(path, &data, &error));
        if (size < 32)
            FAILS(HED_ERROR_FORMAT, hed_cloth_pc2_resume(path, VERTICES, &cache, &frames, &error));
        CHECK_NULL(data.positions);
    }
}

Test(cloth_pc2, no_nan_enters)
{
    hed_error error = {0};
    hed_cloth_pc2 *cache;
    const char *path = in_folder("a.pc2");
    float bad[FRAME];
    memcpy(bad, frame(1), sizeof bad);
    bad[7] = NAN;
    OK(hed_cloth_pc2_create(path, VERTICES, 1, 0.5f, &cache, &error));
    OK(hed_cloth_pc2_add(cache, frame(0), &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_pc2_add(cache, bad, &error));
    CHECK(strstr(error.text, "coordinate y of vertex 3"), "%s", error.text);
    OK(hed_cloth_pc2_add(cache, frame(1), &error)); /* the cache itself is well */
    OK(hed_cloth_pc2_close(cache, &error));
    expect_frames(path, in_order, 2);
}

/* A disk that is full in the middle of a frame: the frames before it stay, and the run says so. */
Test(cloth_pc2, a_full_disk_leaves_the_frames_before)
{
    hed_error error = {0};
    hed_cloth_pc2 *cache;
    uint32_t frames;
    const char *path = in_folder("a.pc2");
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 32 + 2 * 4 * FRAME + 20;
    OK(hed_cloth_pc2_create(path, VERTICES, 1, 0.5f, &cache, &error));
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    OK(hed_cloth_pc2_add(cache, frame(0), &error));
    OK(hed_cloth_pc2_add(cache, frame(1), &error));
    FAILS(HED_ERROR_IO, hed_cloth_pc2_add(cache, frame(2), &error));
    CHECK(strstr(error.text, "its first 2 samples are whole"), "%s", error.text);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    /* no gap, even when there is room again */
    FAILS(HED_ERROR_IO, hed_cloth_pc2_add(cache, frame(2), &error));
    FAILS(HED_ERROR_IO, hed_cloth_pc2_cut(cache, 1, &error));
    FAILS(HED_ERROR_IO, hed_cloth_pc2_close(cache, &error));
    expect_frames(path, in_order, 2);
    CHECK_EQ(size_of(path), 32 + 2 * 4 * FRAME);
    OK(hed_cloth_pc2_resume(
        path, VERTICES, &cache, &frames, &error)); /* with room again it goes on */
    CHECK_EQ(frames, 2);
    OK(hed_cloth_pc2_add(cache, frame(2), &error));
    OK(hed_cloth_pc2_close(cache, &error));
    expect_frames(path, in_order, 3);
    FAILS(HED_ERROR_IO, hed_cloth_pc2_create("/dev/full", VERTICES, 1, 0.5f, &cache, &error));
}
