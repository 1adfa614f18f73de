/* The instruments that benchmarks play: they are as large as the names of the records say, and
 * those of all types run as one work-group of an H200. */
#include "testing.h"

#include "benchmarks/instruments.h"
#include "tables/synth_program.h"

static hed_error error;

static hed_synth_instrument *make(cli_instrument_kind kind, uint32_t x, uint32_t y, uint32_t z)
{
    hed_synth_instrument *instrument;
    OK(cli_instrument(kind, (const uint32_t[3]){x, y, z}, &instrument, &error));
    return instrument;
}

static void expect_counts(
    cli_instrument_kind kind, uint32_t side, uint32_t springs, uint32_t others)
{
    hed_synth_instrument *instrument = make(kind, side, side, side);
    uint32_t found = 0;
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) {
        uint32_t count = hed_synth_instrument_count(instrument, (hed_synth_entity_type)type);
        CHECK(count > 0 || type == HED_SYNTH_DAMPER, "no %s",
            hed_synth_entity_type_name((hed_synth_entity_type)type)); /* bars and cords need none */
        if (type != HED_SYNTH_BODY && type != HED_SYNTH_SPRING) found += count;
    }
    CHECK_EQ(hed_synth_instrument_count(instrument, HED_SYNTH_BODY), side * side * side);
    CHECK_EQ(hed_synth_instrument_count(instrument, HED_SYNTH_SPRING), springs);
    CHECK_EQ(found, others, "%u others", found);
    hed_synth_instrument_destroy(instrument);
}

Test(bench_instruments, are_as_large_as_they_are_called)
{
    expect_counts(CLI_COUNTED, 6, 648, 1024 - 216 - 648);
    expect_counts(CLI_MIXED, 8, 1536, 512);
    expect_counts(CLI_NETWORK, 10, 3000, 64);
}

/* An H200: 32 warps of 32 lanes, 227 KiB of local memory. `heddle bench pack` plays one of 448
 * masses. */
Test(bench_instruments, all_types_fit_into_one_work_group)
{
    enum { WARPS = 32, LANES = 32, LOCAL_BYTES = 227 << 10 };
    hed_synth_instrument *instrument = make(CLI_MIXED, 8, 8, 8);
    hed_allocator allocator = hed_default_allocator();
    for (uint32_t method = 0; method < HED_PACK_METHOD_COUNT; method++) {
        synth_program *program;
        synth_program_def def = {.instrument = instrument, .rate = 48000, .warps = WARPS,
            .lanes = LANES, .pack = (hed_pack_method)method};
        OK(synth_program_create(&allocator, &def, &program, &error));
        CHECK_LE(4 * program->layout.words, LOCAL_BYTES, "%s: %u words",
            hed_pack_method_name((hed_pack_method)method), program->layout.words);
        CHECK_EQ(program->layout.type[SYNTH_BODY].count, 512);
        synth_program_destroy(program);
    }
    hed_synth_instrument_destroy(instrument);
}

/* No benchmark may play nothing. */
Test(bench_instruments, without_masses_there_are_none)
{
    hed_synth_instrument *instrument;
    FAILS(HED_ERROR_ARGUMENT,
        cli_instrument(CLI_MIXED, (const uint32_t[3]){850, 0, 0}, &instrument, &error));
    CHECK_NULL(instrument);
}

/* At the usual distance its end would be too far off. */
Test(bench_instruments, a_string_may_have_millions_of_masses)
{
    enum { MASSES = 2000000 };
    hed_synth_instrument *instrument = make(CLI_STRING, MASSES, 1, 1);
    hed_synth_entity_def last, before;
    OK(hed_synth_instrument_get(instrument,
        hed_synth_instrument_at(instrument, HED_SYNTH_BODY, MASSES - 1), &last, &error));
    OK(hed_synth_instrument_get(instrument,
        hed_synth_instrument_at(instrument, HED_SYNTH_BODY, MASSES - 2), &before, &error));
    CHECK_EQ(last.as.body.position[0], (MASSES - 1) * 0x1p-8f);
    CHECK_EQ(before.as.body.position[0], (MASSES - 2) * 0x1p-8f);
    hed_synth_instrument_destroy(instrument);
}

Test(bench_instruments, what_no_instrument_holds_is_refused)
{
    hed_synth_instrument *instrument;
    FAILS(HED_ERROR_ARGUMENT,
        cli_instrument(CLI_STRING, (const uint32_t[3]){1 << 25, 1, 1}, &instrument, &error));
    FAILS(HED_ERROR_LIMIT,
        cli_instrument(CLI_LATTICE, (const uint32_t[3]){200, 200, 200}, &instrument, &error));
    CHECK_NULL(instrument);
}
