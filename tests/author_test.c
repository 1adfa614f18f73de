/* The kit for writers of kernels and engines: errors, memory, the tables of a description, and what
 * follows from them. */
#include "heddle/author.h"

#include "testing.h"

/* ---- errors ---- */

Test(author, failing_writes_the_error_once_and_may_quote_it)
{
    hed_error error = {0};
    CHECK(!hed_failed(NULL) && !hed_failed(&error));
    strcpy(error.log, "old");
    CHECK_EQ(hed_fail(&error, HED_ERROR_LIMIT, "%d voices", 7), HED_ERROR_LIMIT);
    CHECK(hed_failed(&error) && error.status == HED_ERROR_LIMIT && !error.log[0]);
    hed_fail(&error, HED_ERROR_IO, "a file: %s", error.text);
    CHECK_TEXT(error.text, "a file: 7 voices");
    CHECK_EQ(hed_fail(NULL, HED_ERROR_IO, "nothing"), HED_ERROR_IO);
}

/* ---- memory ---- */

static bool is_zero(const void *memory, size_t size)
{
    const unsigned char *bytes = memory;
    while (size > 0 && bytes[size - 1] == 0) size--;
    return size == 0;
}

Test(author, elements_are_zeroed_aligned_and_given_back)
{
    test_allocator state = {0};
    hed_allocator counting = test_allocator_of(&state);
    const hed_allocator *allocators[] = {&counting, NULL};
    for (uint32_t i = 0; i < HED_COUNT(allocators); i++) {
        hed_error error = {0};
        double *few = hed_new(allocators[i], 5, sizeof *few, &error);
        void *none = hed_new(allocators[i], 0, 24, &error);
        CHECK(few && none && few != none && is_zero(few, 5 * sizeof *few) && is_zero(none, 24));
        CHECK((uintptr_t)few % 64 == 0 && (uintptr_t)none % 64 == 0);
        hed_delete(allocators[i], few, 5, sizeof *few);
        hed_delete(allocators[i], none, 0, 24);
        hed_delete(allocators[i], NULL, 5, 24);
    }
    CHECK(state.live == 0 && state.bytes == 0);
}

Test(author, what_is_refused_or_too_large_says_so_and_a_set_error_stops_further_calls)
{
    test_allocator state = {.fail_at = 1};
    hed_allocator failing = test_allocator_of(&state);
    hed_error error = {0};
    CHECK_NULL(hed_new(&failing, 3, 8, &error));
    CHECK(error.status == HED_ERROR_MEMORY);
    CHECK_TEXT(error.text, "out of memory for 3 x 8 bytes");
    CHECK_NULL(hed_new(&failing, 3, 8, &error), "the error is set already");
    CHECK_EQ(state.calls, 1);
    CHECK_NULL(hed_new(NULL, UINT64_MAX / 4, 8, NULL));
    error = (hed_error){0};
    CHECK_NULL(hed_new(NULL, UINT64_C(1) << 61, 16, &error), "2^65 bytes are not 0 bytes");
    CHECK_EQ(error.status, HED_ERROR_MEMORY);

    hed_arena arena = {.owner = "a test"};
    error = (hed_error){0};
    CHECK_NULL(hed_arena_new(&arena, UINT64_C(1) << 61, 16, &error));
    CHECK_TEXT(error.text, "out of memory for a test: 2305843009213693952 x 16 bytes");
    CHECK(arena.failed && !hed_arena_new(&arena, 1, 1, NULL));
    hed_arena_free(&arena);
    CHECK(hed_arena_new(&arena, 1, 1, NULL) != NULL, "usable again");
    CHECK_NULL(hed_arena_new(&arena, 1, 1, &error), "the error is set already");
    hed_arena_free(&arena);
}

enum { PIECES = 300 };

/* Pieces of all sizes, each filled with its number, so that none may overlap another. */
static bool fill_arena(hed_arena *arena, hed_error *error)
{
    static const size_t sizes[] = {1, 0, 63, 64, 65, 4000, 4096, 100000, 1 << 20, 24};
    unsigned char *pieces[PIECES];
    for (uint32_t i = 0; i < PIECES; i++) {
        size_t size = sizes[i % HED_COUNT(sizes)];
        pieces[i] = hed_arena_new(arena, size, 1, error);
        if (!pieces[i]) return false;
        CHECK((uintptr_t)pieces[i] % 64 == 0 && is_zero(pieces[i], size));
        memset(pieces[i], (int)(i % 255 + 1), size);
    }
    for (uint32_t i = 0; i < PIECES; i++)
        for (size_t k = 0; k < sizes[i % HED_COUNT(sizes)]; k++)
            if (pieces[i][k] != i % 255 + 1) FAIL("piece %u was overwritten", i);
    return true;
}

Test(author, an_arena_holds_pieces_of_all_sizes_and_is_freed_as_one)
{
    test_allocator state = {0};
    hed_error error = {0};
    hed_arena arena = {.allocator = test_allocator_of(&state), .owner = "a test"};
    CHECK(fill_arena(&arena, &error), "%s", error.text);
    CHECK_LT(state.calls, PIECES / 2, "many pieces share a chunk");
    hed_arena_free(&arena);
    CHECK(state.live == 0 && state.bytes == 0 && arena.chunks == NULL);
    hed_arena_free(&arena); /* nothing to free */
}

Test(author, an_arena_in_its_own_memory_frees_itself)
{
    test_allocator state = {0};
    hed_arena first = {.allocator = test_allocator_of(&state)};
    hed_arena *inside = hed_arena_new(&first, 1, sizeof *inside, NULL);
    *inside = first;
    CHECK_TEXT(hed_arena_text(inside, "word", NULL), "word");
    CHECK_NULL(hed_arena_text(inside, NULL, NULL));
    hed_arena_free(inside);
    CHECK(state.live == 0 && state.bytes == 0);
}

Test(author, every_refused_chunk_of_an_arena_is_reported_and_none_is_lost)
{
    uint32_t refused = 0;
    for (bool done = false; !done;) {
        test_allocator state = {.fail_at = refused + 1};
        hed_error error = {0};
        hed_arena arena = {.allocator = test_allocator_of(&state), .owner = "a test"};
        done = fill_arena(&arena, &error);
        CHECK(done ? !hed_failed(&error)
                   : error.status == HED_ERROR_MEMORY && strstr(error.text, "for a test"));
        refused += !done;
        hed_arena_free(&arena);
        CHECK(state.live == 0 && state.bytes == 0);
    }
    CHECK_GT(refused, 20);
}

Test(author, counts_round_up)
{
    CHECK(hed_ceil_divide(0, 4) == 0 && hed_ceil_divide(1, 4) == 1);
    CHECK(hed_round_up(8, 4) == 8 && hed_round_up(9, 4) == 12);
}

/* ---- the tables of a description ---- */

typedef struct limits {
    float low, high;
} limits;

static const hed_kernel_def described = {
    .name = "described",
    HED_SOURCES({"a.cl", "a", 1}, {"b.cl", "b", 0}),
    HED_ARGUMENTS(HED_IN(float, in, .count = "4*n*ITEMS"), HED_OUT(ulong, out, .tolerance = 0.5),
        HED_INOUT(int, both, .count = "n/256"), HED_SCRATCH(bytes, own, .count = "3*SIDE"),
        HED_VALUE(uint, n), HED_VALUE(double, m), HED_VALUE(float, x),
        HED_VALUE_STRUCT(limits, range), HED_ARRAY(float, tile)),
    HED_PARAMETERS(HED_PARAMETER(WG, 64, 32, 64, 128), HED_PARAMETER(ITEMS, 2, 1, 2, 4),
        HED_SWITCH(PAD, 1), HED_CHOICE(ORDER, 1, "tree", "free", "any")),
    HED_CONSTRAINTS("WG * ITEMS <= 256"),
    HED_CONDITIONS({"PAD", "ORDER == 1"}),
    HED_DEFINES({"SIDE", "17"}),
    HED_DIMENSIONS("n", "m"),
    HED_PROBLEMS(HED_PROBLEM(1, 1), HED_PROBLEM(1000, 3)),
    .sample.benchmark = HED_PROBLEM(7, 9),
    HED_DEFAULT_SAMPLE,
};

Test(author, lists_set_pointer_and_count)
{
    const hed_kernel_def *d = &described;
    CHECK(d->source_count == 2 && d->sources[1].text[0] == 'b');
    CHECK(d->constraint_count == 1 && d->condition_count == 1 && d->define_count == 1);
    CHECK(d->dimension_count == 2 && strcmp(d->dimensions[1], "m") == 0);
    CHECK(d->sample.count == 2 && d->sample.problems[1].count == 2);
    CHECK(d->sample.problems[1].sizes[0] == 1000 && d->sample.benchmark.sizes[1] == 9);
    CHECK_EQ(d->parameter_count, 4);
    CHECK(d->parameters[0].count == 3 && d->parameters[0].values[2] == 128);
    CHECK(d->parameters[0].value == 64 && strcmp(d->parameters[0].name, "WG") == 0);
    CHECK(d->parameters[2].count == 2 && d->parameters[2].value == 1);
    CHECK(d->parameters[3].count == 3 && d->parameters[3].values[2] == 2);
    CHECK_TEXT(d->parameters[3].labels[2], "any");
}

Test(author, arguments_are_what_their_words_say)
{
    static const hed_argument_def expected[] = {
        {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
        {.name = "out", .kind = HED_BUFFER, .type = HED_UINT64, .access = HED_WRITE},
        {.name = "both", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_READ_WRITE},
        {.name = "own", .kind = HED_BUFFER, .type = HED_BYTES, .access = HED_WORKSPACE},
        {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
        {.name = "m", .kind = HED_SCALAR, .type = HED_DOUBLE},
        {.name = "x", .kind = HED_SCALAR, .type = HED_FLOAT},
        {.name = "range", .kind = HED_STRUCT, .size = sizeof(limits)},
        {.name = "tile", .kind = HED_LOCAL, .type = HED_FLOAT},
    };
    CHECK_EQ(described.argument_count, HED_COUNT(expected));
    for (uint32_t i = 0; i < HED_COUNT(expected); i++) {
        const hed_argument_def *a = &described.arguments[i], *e = &expected[i];
        CHECK_TEXT(a->name, e->name);
        CHECK(a->kind == e->kind && a->type == e->type && a->access == e->access &&
                  a->size == e->size,
            "%s", a->name);
    }
    CHECK(described.arguments[1].tolerance == 0.5);
}

/* ---- what follows from the tables ---- */

static const hed_problem three_thousand = {2, {1000, 3}};

Test(author, sample_bytes_follow_the_counts)
{
    hed_config config = hed_config_default(&described);
    static const uint64_t expected[] = {4 * 1000 * 2 * 4, 3000 * 8, 4 * 4, 51, 0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < HED_COUNT(expected); i++)
        CHECK_EQ(hed_default_sample_bytes(&described, &config, &three_thousand, i), expected[i],
            "%u", i);
    hed_work work;
    hed_default_work(&described, &config, &three_thousand, &work);
    CHECK(work.bytes == 32000 + 24000 + 2 * 16 && work.items == 3000 && work.operations == 0);
}

Test(author, sample_data_are_sizes_floats_and_words)
{
    uint32_t n = 0;
    double m = 0;
    float x = 0, floats[3] = {0}, expected[3];
    hed_default_sample_fill(&described, &three_thousand, 4, &n, 4, 1);
    hed_default_sample_fill(&described, &three_thousand, 5, &m, 8, 1);
    hed_default_sample_fill(&described, &three_thousand, 6, &x, 4, 1);
    CHECK(n == 1000 && m == 3.0 && x != 0.0f && x > -1.0f && x < 1.0f);
    hed_default_sample_fill(&described, &three_thousand, 0, floats, sizeof floats, 5);
    hed_sample_floats(expected, 3, 5, 0);
    CHECK_BYTES(floats, expected, sizeof floats);
    uint64_t words[2];
    hed_default_sample_fill(&described, &three_thousand, 1, words, sizeof words, 5);
    CHECK_EQ(words[1] >> 32, hed_sample_word(5, 1, 3));
    /* As it was when the goldens were made. */
    CHECK_EQ(hed_sample_word(42, 7, 1000), 0x500fa9a2u);
    CHECK_NE(hed_sample_word(42, 7, 1), hed_sample_word(42, 8, 1));
}

Test(author, the_default_geometry_is_groups_that_cover_the_items)
{
    hed_config config = hed_config_default(&described);
    hed_geometry geometry = {0};
    hed_default_geometry(&described, &config, &three_thousand, &geometry);
    CHECK(geometry.dimensions == 1 && geometry.group[0] == 64);
    CHECK_EQ(geometry.global[0], 24 * 64); /* 24 groups of 128 */
    CHECK(geometry.native_items == 3000 && geometry.native_grain == 65536);
}

/* ---- clones ---- */

HED_NATIVE_BODY add_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    float *x = call->arguments[0];
    for (uint64_t i = begin; i < end; i++) x[i] = __builtin_fmaf(x[i], x[i], (float)i);
}
HED_NATIVE_CLONES(add_native, add_body)

Test(author, a_clone_does_what_its_body_does)
{
    float a[100], b[100];
    hed_sample_floats(a, 100, 1, 1);
    hed_sample_floats(b, 100, 1, 1);
    add_native(&(hed_native_call){.arguments = (void *[]){a}}, 3, 97);
    add_body(&(hed_native_call){.arguments = (void *[]){b}}, 3, 97);
    CHECK_BYTES(a, b, sizeof a);
}
