/* ctest: devices full=pocl */
/* Vertices that a program holds (hed_cloth_hold), and a cloth that continues another one's motion with other properties
 * (hed_cloth_continue). */
#include "fixture.h"

#include "cloth_sheet.h"

#include "heddle/cloth_hold.h"

TestSuite(cloth_hand, .init = here_open, .fini = here_close);

enum { SIDE = 17, COUNT = SIDE * SIDE, FREE = COUNT - SIDE / 2 - 1, PINNED = 0 };

typedef struct held_sheet {
    sheet sheet;
    hed_cloth_def def;
    hed_cloth_hold *hold;
    hed_cloth *cloth;
    float positions[3 * COUNT];
} held_sheet;

/* A sheet on two corners; `holds`: vertices can be held. */
static void make_held(held_sheet *h, bool holds, const hed_cloth_fabric *fabric)
{
    *h = (held_sheet){.sheet = sheet_make(SIDE), .def = hed_default_cloth_def()};
    h->sheet.garment.fabric = fabric;
    h->def.garments = &h->sheet.garment;
    h->def.garment_count = 1;
    h->def.math = HED_MATH_STRICT;
    h->def.substeps = 8;
    if (holds) {
        OK(hed_cloth_hold_create(&h->def, &h->hold, &error));
        h->def = hed_cloth_hold_def(h->hold);
    }
    OK(hed_cloth_create(here.device, &h->def, &h->cloth, &error));
    memcpy(h->positions, h->sheet.positions, sizeof h->positions);
}

static void end_held(held_sheet *h)
{
    hed_cloth_destroy(h->cloth);
    hed_cloth_hold_destroy(h->hold);
    sheet_free(&h->sheet);
}

static void step_held(held_sheet *h, int frames)
{
    for (int i = 0; i < frames; i++) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        if (h->hold) OK(hed_cloth_hold_frame(h->hold, h->cloth, h->positions, &frame, &error));
        OK(hed_cloth_step(h->cloth, &frame, &error));
        OK(hed_cloth_read(h->cloth, h->positions, NULL, NULL, &error));
    }
}

static double gap_of(const held_sheet *h, uint32_t vertex, const float place[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double gap = (double)h->positions[3 * vertex + k] - (double)place[k];
        sum += gap * gap;
    }
    return sqrt(sum);
}

Test(cloth_hand, a_cloth_that_nobody_holds_keeps_its_bits, .timeout = 120)
{
    held_sheet plain, held;
    make_held(&plain, false, NULL);
    make_held(&held, true, NULL);
    step_held(&plain, 20);
    step_held(&held, 20);
    CHECK_EQ(hash_of(held.cloth), hash_of(plain.cloth), "other bits before the first touch");
    end_held(&plain);
    end_held(&held);
}

Test(cloth_hand, a_held_vertex_follows_and_is_let_go, .timeout = 120)
{
    held_sheet h;
    make_held(&h, true, NULL);
    step_held(&h, 10);
    float place[3], fall = h.positions[3 * FREE + 1];
    memcpy(place, h.positions + 3 * FREE, sizeof place);
    /* two frames, in which it falls on; then it is taken along, 1 cm a frame */
    OK(hed_cloth_hold_vertex(h.hold, FREE, place, &error));
    step_held(&h, 2);
    EXPECT(h.positions[3 * FREE + 1] < fall - 0.01f, "held at once: a jerk of %g m",
        (double)(fall - h.positions[3 * FREE + 1]));
    for (int i = 0; i < 20; i++) {
        memcpy(place, i ? place : h.positions + 3 * FREE, sizeof place);
        place[2] -= 0.01f;
        OK(hed_cloth_hold_vertex(h.hold, FREE, place, &error));
        step_held(&h, 1);
        EXPECT(gap_of(&h, FREE, place) < 1e-5, "frame %d: %g m from the hand", i, gap_of(&h, FREE, place));
    }
    CHECK_EQ(hed_cloth_hold_count(h.hold), 1, "one vertex is held");
    OK(hed_cloth_hold_release(h.hold, h.cloth, FREE, &error));
    CHECK_EQ(hed_cloth_hold_count(h.hold), 0, "none is held");
    step_held(&h, 20);
    EXPECT(gap_of(&h, FREE, place) > 0.05, "not let go: %g m from the hand", gap_of(&h, FREE, place));
    /* a pin is not taken away, and wrong vertices and places are named */
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_hold_vertex(h.hold, PINNED, place, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_hold_vertex(h.hold, COUNT, place, &error));
    place[1] = NAN;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_hold_vertex(h.hold, FREE, place, &error));
    end_held(&h);
}

/* Vertices of a mesh whose particles have other numbers: the vertex that is held follows. */
Test(cloth_hand, a_held_vertex_is_not_a_particle, .timeout = 120)
{
    enum { SHIFT = 40, HELD = FREE - SHIFT };
    uint32_t shown[COUNT];
    held_sheet h = {.sheet = sheet_make(SIDE), .def = hed_default_cloth_def()};
    for (uint32_t v = 0; v < COUNT; v++) shown[v] = (v + SHIFT) % COUNT;
    h.sheet.garment.vertex_particle = shown;
    h.sheet.garment.vertex_count = COUNT;
    h.def.garments = &h.sheet.garment;
    h.def.garment_count = 1;
    h.def.substeps = 8;
    OK(hed_cloth_hold_create(&h.def, &h.hold, &error));
    h.def = hed_cloth_hold_def(h.hold);
    OK(hed_cloth_create(here.device, &h.def, &h.cloth, &error));
    step_held(&h, 1);
    float place[3];
    for (int i = 0; i < 20; i++) {
        memcpy(place, i ? place : h.positions + 3 * HELD, sizeof place);
        place[2] -= 0.01f;
        OK(hed_cloth_hold_vertex(h.hold, HELD, place, &error));
        step_held(&h, 1);
    }
    EXPECT(gap_of(&h, HELD, place) < 1e-5, "%g m from the hand", gap_of(&h, HELD, place));
    FAILS(HED_ERROR_UNSUPPORTED,
        hed_cloth_hold_vertex(h.hold, COUNT - SHIFT + PINNED, place, &error));
    end_held(&h);
}

Test(cloth_hand, a_cloth_continues_another, .timeout = 120)
{
    held_sheet first, whole, same, silk;
    make_held(&first, true, NULL);
    make_held(&whole, true, NULL);
    make_held(&same, true, NULL);
    make_held(&silk, true, hed_cloth_fabric_named("silk"));
    step_held(&first, 12);
    step_held(&whole, 20);
    OK(hed_cloth_continue(same.cloth, first.cloth, &error));
    step_held(&same, 8);
    CHECK_EQ(hash_of(same.cloth), hash_of(whole.cloth), "other bits than without the change");
    /* another fabric goes on from the same positions, at the same speed */
    OK(hed_cloth_continue(silk.cloth, first.cloth, &error));
    step_held(&silk, 1);
    step_held(&first, 1);
    for (uint32_t i = 0; i < 3 * COUNT; i++)
        EXPECT(fabsf(silk.positions[i] - first.positions[i]) < 0.03f, "number %u jumps from %g to %g", i,
            (double)first.positions[i], (double)silk.positions[i]);
    CHECK_NE(hash_of(silk.cloth), hash_of(first.cloth), "silk moves as before");
    /* what differs is refused */
    held_sheet driverless;
    make_held(&driverless, false, NULL);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_continue(driverless.cloth, first.cloth, &error));
    end_held(&driverless);
    end_held(&first);
    end_held(&whole);
    end_held(&same);
    end_held(&silk);
}

/* Masses are those of the new cloth: a sheet of a hundred times the mass pulls a soft constraint longer. */
Test(cloth_hand, masses_are_those_of_the_new_cloth, .timeout = 120)
{
    held_sheet light, heavy, fresh;
    make_held(&light, true, NULL);
    make_held(&heavy, true, NULL);
    hed_cloth_destroy(heavy.cloth);
    hed_cloth_hold_destroy(heavy.hold);
    for (uint32_t i = 0; i < COUNT; i++) heavy.sheet.inverse_masses[i] *= 0.01f;
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++)
        heavy.sheet.garment.family_material[f].compliance = 1e-3f;
    heavy.def.garments = &heavy.sheet.garment;
    OK(hed_cloth_hold_create(&heavy.def, &heavy.hold, &error));
    heavy.def = hed_cloth_hold_def(heavy.hold);
    OK(hed_cloth_create(here.device, &heavy.def, &heavy.cloth, &error));
    fresh = heavy;
    OK(hed_cloth_create(here.device, &heavy.def, &fresh.cloth, &error));
    /* from the start itself, the continued cloth is the new one to the bit */
    OK(hed_cloth_continue(heavy.cloth, light.cloth, &error));
    step_held(&heavy, 10);
    step_held(&fresh, 10);
    CHECK_EQ(hash_of(heavy.cloth), hash_of(fresh.cloth), "masses of the former cloth");
    hed_cloth_destroy(fresh.cloth);
    end_held(&light);
    end_held(&heavy);
}
