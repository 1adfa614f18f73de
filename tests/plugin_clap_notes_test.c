/* The CLAP plugin's notes: wildcards of ends and chokes, NOTE_END, modulation of single notes, and
 * what the plugin reports of its sound: status, constant channels, tail, voices, names of keys. The
 * rules are those of CLAP 1.2.10's events.h and process.h. */
#include "clap_host.h"

TestSuite(plugin_clap_notes, .init = open_host, .fini = close_host);

enum { RUN = 4000 };
static float one[2][RUN], other[2][RUN];

static const clap_api_plugin *open_with(const char *preset)
{
    const clap_api_plugin *p = open_plugin(48000);
    const clap_api_preset_load *load = p->get_extension(p, CLAP_API_PRESET_LOAD);
    CHECK(load->from_location(p, CLAP_API_LOCATION_PLUGIN, NULL, preset), "%s", host.words);
    for (uint32_t i = 0; i < 4; i++) play(p, RUN, one[0], one[1]); /* the former one fades out */
    p->reset(p);
    return p;
}

static void send_end(uint16_t type, int32_t id, int16_t port, int16_t channel, int16_t key)
{
    host.in[host.in_count++].note =
        (clap_api_note){{sizeof(clap_api_note), 0, 0, type, 0}, id, port, channel, key, 0.5};
}

static void start(int32_t id, int16_t port, int16_t channel, int16_t key)
{
    send_note(0, CLAP_API_NOTE_ON, id, key, 100);
    host.in[host.in_count - 1].note.port = port;
    host.in[host.in_count - 1].note.channel = channel;
}

static double energy(const float *sound, uint32_t from)
{
    double sum = 0;
    for (uint32_t n = from; n < RUN; n++) sum += (double)sound[n] * sound[n];
    return sum;
}

/* Which of three held notes an end with wildcards ends, in an instrument with an envelope: it
 * falls silent when its note is over, and NOTE_END names it. */
static uint32_t ended_by(
    const clap_api_plugin *p, uint16_t type, int32_t id, int16_t port, int16_t channel, int16_t key)
{
    uint32_t ended = 0;
    p->reset(p);
    start(7, 0, 0, 40);
    start(8, 0, 3, 45);
    start(9, 0, 3, 50);
    play(p, RUN, one[0], one[1]);
    send_end(type, id, port, channel, key);
    for (uint32_t i = 0; i < 60; i++) {
        play(p, RUN, one[0], one[1]);
        for (uint32_t k = 0; k < host.out_count; k++)
            if (host.out[k].header.type == CLAP_API_NOTE_END) {
                int32_t note = host.out[k].note.note;
                CHECK(note >= 7 && note <= 9 && host.out[k].header.time < RUN, "note %d", note);
                CHECK_EQ(ended >> (note - 7) & 1, 0, "note %d ended twice", note);
                ended |= 1u << (note - 7);
            }
    }
    return ended;
}

Test(plugin_clap_notes, wildcards_of_ends, .timeout = 240)
{
    static const char *const presets[] = {"glide", "viol"};
    for (uint32_t i = 0; i < 2; i++) {
        const clap_api_plugin *p = open_with(presets[i]);
        for (uint32_t type = CLAP_API_NOTE_OFF; type <= CLAP_API_NOTE_CHOKE; type++) {
            uint16_t t = (uint16_t)type;
            if (i == 1) { /* one instance: a note rings as long as the instrument sounds */
                CHECK_EQ(ended_by(p, t, -1, -1, -1, -1), 7, "%s", "all");
                CHECK_EQ(ended_by(p, t, 8, -1, -1, -1), 0, "%s", "one of three");
                continue;
            }
            CHECK_EQ(ended_by(p, t, -1, -1, -1, -1), 7, "%s", "all");
            CHECK_EQ(ended_by(p, t, 8, -1, -1, -1), 2, "%s", "by id");
            CHECK_EQ(ended_by(p, t, -1, -1, 3, -1), 6, "%s", "a channel");
            CHECK_EQ(ended_by(p, t, -1, -1, -1, 40), 1, "%s", "a key on any channel");
            CHECK_EQ(ended_by(p, t, 99, -1, -1, -1), 0, "%s", "an unknown id");
            CHECK_EQ(ended_by(p, t, -1, 4, -1, -1), 0, "%s", "another port");
            CHECK_EQ(ended_by(p, t, 9, 0, 3, 50), 4, "%s", "everything given");
        }
        close_plugin(p, true);
    }
}

/* A blow has no end of its own: a choke ends it all the same, a note-off of vibes does not within
 * the same time. */
Test(plugin_clap_notes, a_choke_ends_a_blow)
{
    static const char *const presets[] = {"vibes", "cymbal", "drum"};
    for (uint32_t i = 0; i < 3; i++) {
        const clap_api_plugin *p = open_with(presets[i]);
        int16_t key = i == 0 ? 57 : i == 1 ? 60 : 36;
        start(1, 0, 0, key);
        play(p, RUN, one[0], one[1]);
        CHECK_GT(energy(one[0], 0), 1e-4, "%s", presets[i]);
        send_end(CLAP_API_NOTE_CHOKE, 1, -1, -1, -1);
        play(p, RUN, one[0], one[1]);
        CHECK_LT(energy(one[0], 1500), 1e-12, "%s goes on", presets[i]);
        play(p, RUN, one[0], one[1]);
        close_plugin(p, true);
    }
}

/* A key struck again keeps its voice: the former note is over at once. A note that the instrument
 * does not play ends in the block in which it began. */
Test(plugin_clap_notes, taken_and_unplayed_notes_end)
{
    const clap_api_plugin *p = open_with("vibes");
    start(1, 0, 0, 57);
    play(p, 100, one[0], one[1]);
    CHECK_EQ(host.out_count, 0);
    start(2, 0, 0, 57);
    play(p, 100, one[0], one[1]);
    CHECK(host.out_count == 1 && host.out[0].note.note == 1 && host.out[0].header.time == 99);
    start(3, 0, 0, 20); /* below the range */
    play(p, 100, one[0], one[1]);
    CHECK(host.out_count == 1 && host.out[0].note.note == 3);
    CHECK_GT(host.callbacks, 0);
    host.words[0] = 0;
    p->on_main_thread(p);
    CHECK(strstr(host.words, "20") && strstr(host.words, "45 to 76"), "%s", host.words);
    /* nine notes of eight voices: the quietest is stolen, and its end is told */
    p->reset(p);
    for (int16_t i = 0; i < 8; i++) start(10 + i, 0, 0, (int16_t)(50 + i));
    host.in[3].note.velocity = 0.1;
    play(p, RUN, one[0], one[1]);
    play(p, RUN, one[0], one[1]);
    start(20, 0, 0, 70);
    play(p, RUN, one[0], one[1]);
    CHECK(host.out_count == 1 && host.out[0].note.note == 13, "%u ends, first %d", host.out_count,
        host.out[0].note.note);
    close_plugin(p, true);
}

static void send_amount(uint32_t param, int32_t note, int16_t key, double amount)
{
    send_value(0, param, amount);
    clap_api_value *value = &host.in[host.in_count - 1].value;
    value->header.type = CLAP_API_PARAM_MOD;
    value->note = note;
    value->key = key;
}

/* Modulation changes the sound and not the parameter; that of one note only this note. */
Test(plugin_clap_notes, modulation_of_notes)
{
    const clap_api_plugin *p = open_with("vibes");
    const clap_api_params *params = p->get_extension(p, CLAP_API_PARAMS);
    clap_api_param info;
    CHECK(params->get(p, 0, &info) && info.flags & CLAP_API_MODULATABLE &&
          info.flags & CLAP_API_MODULATABLE_PER_NOTE);
    static float sound[6][RUN];
    for (uint32_t i = 0; i < 6; i++) {
        p->reset(p);
        send_value(0, 0, 0.25);
        if (i == 1) send_amount(0, -1, -1, 0.5); /* all notes */
        start(1, 0, 0, 57);
        if (i == 2) send_amount(0, 1, -1, 0.5);  /* this note */
        if (i == 3) send_amount(0, 2, -1, 0.5);  /* another one */
        if (i == 4) send_amount(0, -1, 57, 0.5); /* this key */
        if (i == 5) send_value(0, 0, 0.75);
        play(p, RUN, sound[i], one[1]);
        double value;
        CHECK(params->value(p, 0, &value) && value == (i == 5 ? 0.75 : 0.25), "round %u", i);
        for (uint32_t k = 0; k < host.out_count; k++) /* the reset ended a note */
            CHECK_EQ(host.out[k].header.type, CLAP_API_NOTE_END, "round %u", i);
    }
    CHECK_BYTES(sound[0], sound[3], sizeof sound[0]);
    CHECK_BYTES(sound[1], sound[5], sizeof sound[0]);
    CHECK(memcmp(sound[0], sound[1], sizeof sound[0]) != 0, "modulation is heard");
    CHECK(memcmp(sound[0], sound[2], sizeof sound[0]) != 0, "of a note, too");
    CHECK_BYTES(sound[2], sound[4], sizeof sound[0]);
    close_plugin(p, true);
}

Test(plugin_clap_notes, status_tail_and_constant_channels, .timeout = 240)
{
    const clap_api_plugin *p = open_with("vibes");
    const clap_api_tail *tail = p->get_extension(p, CLAP_API_TAIL);
    uint32_t blocks = 0, most = tail->get(p) / RUN + 40;
    CHECK(tail->get(p) > 48000 && tail->get(p) < INT32_MAX, "%u", tail->get(p));
    for (uint32_t i = 0; i < 4; i++) play(p, RUN, one[0], one[1]);
    CHECK(host.status == CLAP_API_SLEEP && host.constant == 3, "at rest: %d", host.status);
    start(1, 0, 0, 57);
    play(p, RUN, one[0], one[1]);
    CHECK(host.status == CLAP_API_CONTINUE && host.constant == 0, "held: %d", host.status);
    send_end(CLAP_API_NOTE_OFF, 1, -1, -1, -1);
    play(p, RUN, one[0], one[1]);
    play(p, RUN, one[0], one[1]);
    CHECK_EQ(host.status, CLAP_API_TAIL_STATUS, "%s", "rings");
    while (host.status != CLAP_API_SLEEP && ++blocks < most) play(p, RUN, one[0], one[1]);
    CHECK_EQ(host.status, CLAP_API_SLEEP, "%s", "within its tail");
    start(2, 0, 0, 57);
    play(p, RUN, other[0], other[1]);
    CHECK_EQ(host.status, CLAP_API_CONTINUE);
    CHECK_GT(energy(other[0], 0), 1e-4);
    close_plugin(p, true);
    p = open_with("tank"); /* echoes of echoes */
    tail = p->get_extension(p, CLAP_API_TAIL);
    CHECK_GE(tail->get(p), INT32_MAX);
    close_plugin(p, true);
}

Test(plugin_clap_notes, voices_and_names)
{
    static const struct {
        const char *preset;
        uint32_t voices, names;
    } expected[] = {{"vibes", 8, 0}, {"glide", 6, 0}, {"drum", 1, 2}, {"harp", 1, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        const clap_api_plugin *p = open_with(expected[i].preset);
        const clap_api_voice_info *voices = p->get_extension(p, CLAP_API_VOICE_INFO);
        const clap_api_note_name *names = p->get_extension(p, CLAP_API_NOTE_NAME);
        clap_api_voices info;
        clap_api_key_name name;
        CHECK(voices->get(p, &info) && info.count == expected[i].voices && info.capacity == 64);
        CHECK_EQ(names->count(p), expected[i].names, "%s", expected[i].preset);
        CHECK(!names->get(p, expected[i].names, &name));
        if (i == 2) {
            CHECK(names->get(p, 0, &name) && name.key == 36 && strcmp(name.name, "beater") == 0);
            CHECK(names->get(p, 1, &name) && name.key == 38 && strcmp(name.name, "knuckle") == 0);
        }
        close_plugin(p, true);
    }
}
