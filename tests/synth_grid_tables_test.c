/* What solver grid makes on the host: forms of networks, cuts, tables that lead each half-spring
 * to the right body, rows that meet fewer bank conflicts; every allocation may fail. */
#include "testing.h"

#include <math.h>

#include "solver/grid/grid.h"

static hed_error error;

static uint32_t random_state;
static uint32_t random_below(uint32_t count)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 4) * count >> 28);
}

static hed_synth_entity add(hed_synth_instrument *instrument, const hed_synth_entity_def *def)
{
    hed_synth_entity entity;
    OK(hed_synth_instrument_add(instrument, def, NULL, &entity, &error));
    return entity;
}

static hed_synth_instrument *make_lattice(uint32_t nx, uint32_t ny, uint32_t nz, float rest)
{
    hed_synth_instrument *instrument;
    hed_allocator allocator = hed_default_allocator();
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    hed_synth_generated made;
    OK(hed_synth_instrument_create(&allocator, NULL, &instrument, &error));
    memcpy(grid.size, (uint32_t[]){nx, ny, nz}, sizeof grid.size);
    memcpy(grid.step, (float[3][3]){{0.01f}, {0, 0.01f}, {0, 0, 0.01f}}, sizeof grid.step);
    grid.spring.rest_length = rest;
    OK(hed_synth_instrument_add_grid(instrument, &grid, NULL, &made, &error));
    return instrument;
}

/* A lattice with springs to anywhere near beside its own, some anchors, and (off > 0) places off
 * the lattice. */
static hed_synth_instrument *make_tangle(uint32_t width, float off)
{
    hed_synth_instrument *instrument = make_lattice(width, width, width, -1.0f);
    uint32_t count = width * width * width;
    random_state = 11;
    for (uint32_t i = 0; i < count; i++) {
        hed_synth_entity body = hed_synth_instrument_at(instrument, HED_SYNTH_BODY, i);
        hed_synth_entity_def def;
        OK(hed_synth_instrument_get(instrument, body, &def, &error));
        for (uint32_t k = 0; k < 3; k++)
            def.as.body.position[k] += off * 1e-5f * (float)random_below(100);
        def.as.body.anchored = random_below(20) == 0;
        def.as.body.mass = random_below(2) ? 0.001f : 0.003f;
        OK(hed_synth_instrument_set(instrument, body, &def, &error));
    }
    for (uint32_t i = 0; i < count / 3; i++) {
        hed_synth_entity_def spring = hed_default_synth_entity_def(HED_SYNTH_SPRING);
        uint32_t from = random_below(count - width * width - 2);
        spring.as.spring.from = hed_synth_instrument_at(instrument, HED_SYNTH_BODY, from);
        spring.as.spring.to = hed_synth_instrument_at(
            instrument, HED_SYNTH_BODY, from + width * width + 1 + random_below(2));
        spring.as.spring.rest_length = -1.0f;
        add(instrument, &spring);
    }
    return instrument;
}

static const synth_grid_limits limits = {
    .groups = 6, .threads = 128, .each = 8, .table_local = true, .local_bytes = 200000};

/* ---- tables ---- */

/* Body that a place of a group's local memory holds; count: that of the anchors. */
static uint32_t body_at(const synth_network *network, const synth_grid_tables *tables,
    const uint32_t *owner, uint32_t group, uint32_t place)
{
    if (place == tables->shape.places - 1) return network->count;
    if (place < tables->own) return owner[group * tables->own + place];
    CHECK(place - tables->own < tables->groups[group].halo, "place %u of group %u is nobody's",
        place, group);
    uint32_t packet = tables->halo[group * tables->halo_room + place - tables->own],
             room = tables->shape.rim * tables->shape.threads;
    CHECK(packet / room != group && packet % room < tables->groups[packet / room].rim,
        "packet %u is not published for others", packet);
    return owner[packet / room * tables->own + packet % room];
}

/* Each half-spring of the network is in the tables once, and nothing else but springs to
 * oneself. */
static void expect_right_tables(const synth_network *network, const synth_grid_tables *tables)
{
    uint32_t places = tables->shape.groups * tables->own, degree = tables->shape.degree, cut = 0;
    uint32_t *owner = malloc(places * sizeof *owner);
    memset(owner, 0xff, places * sizeof *owner);
    for (uint32_t i = 0; i < network->count; i++) {
        CHECK_EQ(owner[tables->place[i]], UINT32_MAX, "two bodies at place %u", tables->place[i]);
        owner[tables->place[i]] = i;
    }
    for (uint32_t i = 0; i < network->count; i++) {
        uint32_t group = tables->place[i] / tables->own, at = tables->place[i] % tables->own,
                 others = 0;
        uint64_t found = 0, wanted = 0;
        for (uint32_t j = 0; j < degree; j++) {
            uint32_t word = tables->table[(group * (degree / 2) + j / 2) * tables->own + at],
                     byte = j % 2 ? word >> 16 : word & 0xffffu;
            uint32_t body = body_at(network, tables, owner, group, byte / 4);
            if (body == i) continue;
            others++;
            found += (body + 1ull) * (body + 7ull);
        }
        for (uint32_t e = network->begin[i]; e < network->begin[i + 1]; e++) {
            uint32_t body =
                network->other[e] == SYNTH_ANCHORED ? network->count : network->other[e];
            wanted += (body + 1ull) * (body + 7ull);
            if (body < network->count) cut += tables->place[body] / tables->own != group;
        }
        CHECK(others == network->begin[i + 1] - network->begin[i] && found == wanted,
            "body %u has other neighbours", i);
    }
    EXPECT_EQ(tables->cut, cut / 2);
    free(owner);
}

static void check_tables(hed_synth_instrument *instrument, uint32_t form, const char *what)
{
    hed_allocator allocator = hed_default_allocator();
    synth_network network;
    synth_grid_tables tables;
    OK(synth_network_create(&allocator, instrument, 48000.0, &network, &error));
    EXPECT_EQ(network.form, form, "%s has form %u", what, network.form);
    const synth_linked linked[] = {{3, false}, {400, true}, {SYNTH_ANCHORED, true}, {90, true}};
    OK(synth_grid_tables_create(&network, &limits, linked, 4, &tables, &error));
    expect_right_tables(&network, &tables);
    for (uint32_t k = 0; k < 4; k++) {
        if (linked[k].body == SYNTH_ANCHORED) continue;
        uint32_t place = tables.place[linked[k].body], group = place / tables.own;
        uint32_t i = place % tables.own, link = tables.links[group * tables.shape.threads + i];
        CHECK(i < tables.groups[group].linked && LATTICE_ELEMENT(link) == k &&
              !(link & LATTICE_PUSHED) == (k == 0));
        uint32_t pushes =
            tables.shape.groups * tables.shape.rim * tables.shape.threads + LATTICE_TOLD * 4;
        for (uint32_t p = 0; p < (k == 0 ? 1 : LATTICE_PUSHES); p++)
            EXPECT_EQ(tables.halo[group * tables.halo_room + LATTICE_PUSH_AT(link) + p],
                pushes + LATTICE_PUSHES * k + p);
    }
    synth_grid_tables_destroy(&tables);
    synth_network_destroy(&network);
    hed_synth_instrument_destroy(instrument);
}

Test(synth_grid_tables, every_half_spring_leads_to_its_body)
{
    check_tables(make_lattice(14, 12, 10, -1.0f), SPRINGS_SLOTS, "a lattice");
    check_tables(
        make_lattice(14, 12, 10, -0.9f), SPRINGS_SLOTS, "a stretched lattice with free faces");
    check_tables(make_tangle(11, 0.0f), SPRINGS_KINDS, "a lattice with more springs");
    check_tables(make_tangle(11, 1.0f), SPRINGS_OWN, "an irregular network");
}

Test(synth_grid_tables, a_lattice_is_cut_into_boxes)
{
    hed_allocator allocator = hed_default_allocator();
    hed_synth_instrument *instrument = make_lattice(16, 16, 32, -1.0f);
    synth_network network;
    OK(synth_network_create(&allocator, instrument, 48000.0, &network, &error));
    uint32_t *group_of = malloc(network.count * sizeof *group_of), sizes[16] = {0};
    OK(synth_partition(&network, 16, 512, group_of, &error));
    uint32_t cut = 0;
    for (uint32_t i = 0; i < network.count; i++) {
        sizes[group_of[i]]++;
        for (uint32_t e = network.begin[i]; e < network.begin[i + 1]; e++)
            cut += group_of[network.other[e]] != group_of[i];
    }
    for (uint32_t g = 0; g < 16; g++) EXPECT_EQ(sizes[g], 512, "group %u has %u", g, sizes[g]);
    /* Boxes of 8 x 8 x 8: one plane across x, one across y, three across z. */
    EXPECT_EQ(cut / 2, 16 * 32 + 16 * 32 + 3 * 16 * 16, "%u springs are cut", cut / 2);
    FAILS(HED_ERROR_LIMIT, synth_partition(&network, 16, 511, group_of, &error));
    free(group_of);
    synth_network_destroy(&network);
    hed_synth_instrument_destroy(instrument);
}

/* ---- conflicts ---- */

enum { OWN = 256, DEGREE = 6, BANKS = 32 };

/* Reads of the most crowded bank, summed over slots and rows of 32. */
static uint32_t waits(const uint32_t *place)
{
    uint32_t sum = 0;
    for (uint32_t slot = 0; slot < DEGREE; slot++)
        for (uint32_t row = 0; row < OWN; row += BANKS) {
            uint32_t reads[BANKS] = {0}, most = 0;
            for (uint32_t lane = 0; lane < BANKS; lane++) {
                uint32_t n = ++reads[place[slot * OWN + row + lane] % BANKS];
                if (n > most) most = n;
            }
            sum += most;
        }
    return sum;
}

Test(synth_grid_tables, rows_are_put_into_an_order_with_fewer_conflicts)
{
    uint32_t place[DEGREE * OWN], spring[DEGREE * OWN], sum[2][OWN] = {{0}};
    random_state = 3;
    for (uint32_t k = 0; k < DEGREE * OWN; k++)
        spring[k] = (place[k] = random_below(2000)) * 5 + 1000;
    for (uint32_t k = 0; k < DEGREE * OWN; k++) sum[0][k % OWN] += place[k] * place[k];
    uint32_t before = waits(place);
    synth_spread_banks(place, spring, 1, OWN, DEGREE, true);
    for (uint32_t k = 0; k < DEGREE * OWN; k++) {
        CHECK_EQ(spring[k], place[k] * 5 + 1000, "a half-spring has lost its neighbour");
        sum[1][k % OWN] += place[k] * place[k];
    }
    EXPECT(memcmp(sum[0], sum[1], sizeof sum[0]) == 0, "a body has other neighbours than before");
    EXPECT(waits(place) * 10 < before * 9, "%u reads wait, %u before", waits(place), before);
}

/* ---- memory ---- */

Test(synth_grid_tables, every_allocation_may_fail)
{
    hed_synth_instrument *instrument = make_tangle(6, 1.0f);
    for (int64_t n = 1; n < 200; n++) {
        test_allocator counting = {.fail_at = n};
        hed_allocator allocator = test_allocator_of(&counting);
        synth_network network;
        synth_grid_tables tables;
        hed_error_clear(&error);
        hed_status status = synth_network_create(&allocator, instrument, 48000.0, &network, &error);
        if (!status) {
            hed_error_clear(&error);
            status = synth_grid_tables_create(&network, &limits, NULL, 0, &tables, &error);
            if (!status) synth_grid_tables_destroy(&tables);
            synth_network_destroy(&network);
        }
        CHECK_EQ(counting.live, 0, "allocation %lld failed: %lld are left", (long long)n,
            (long long)counting.live);
        CHECK_EQ(counting.bytes, 0, "sizes differ when allocation %lld fails", (long long)n);
        if (counting.calls < n) {
            CHECK_EQ(status, HED_OK);
            EXPECT(n > 10, "%lld allocations are too few to believe", (long long)n);
            hed_synth_instrument_destroy(instrument);
            return;
        }
        CHECK(status == HED_ERROR_MEMORY || (status == HED_OK && n > 10),
            "it goes on without allocation %lld", (long long)n); /* METIS may do without */
    }
    FAIL("it never comes to an end");
}
