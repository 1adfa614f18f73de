/* State of a player as text: a JSON object that contains the instrument's text as a string. */
#include "player.h"

#include "heddle/author.h"
#include "support/json.h"

#include <stdio.h>
#include <string.h>

enum { STATE_VERSION = 1 };

/* Text in a buffer; bytes beyond `room` are counted but not stored. */
typedef struct state_text {
    char *bytes;
    size_t size, room;
} state_text;

static void state_put(state_text *to, const char *bytes, size_t size)
{
    if (to->size + size < to->room) memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void state_string(state_text *to, const char *text, size_t size)
{
    char escaped[8];
    state_put(to, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        uint8_t c = (uint8_t)text[i];
        int length = c == '"' || c == '\\' ? snprintf(escaped, sizeof escaped, "\\%c", c)
                     : c == '\n'           ? snprintf(escaped, sizeof escaped, "\\n")
                     : c < 0x20            ? snprintf(escaped, sizeof escaped, "\\u%04x", c)
                                           : 0;
        state_put(to, length ? escaped : text + i, length ? (size_t)length : 1);
    }
    state_put(to, "\"", 1);
}

/* Writes nine digits, which identify every float, with a decimal point in every locale. */
static void state_number(state_text *to, float value)
{
    char digits[40];
    int length = snprintf(digits, sizeof digits, "%.9g", (double)value);
    char *comma = strchr(digits, ',');
    if (comma) *comma = '.';
    state_put(to, digits, (size_t)length);
}

static void state_words(state_text *to, const char *words) { state_put(to, words, strlen(words)); }

/* Returns the length of the UTF-8 character at `at`, bytes; 0: invalid (RFC 3629, section 4). */
static uint32_t state_character(const uint8_t *at)
{
    uint32_t length = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    uint8_t low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80,
            high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
    if (length > 1 && (at[0] < 0xc2 || at[0] > 0xf4 || at[1] < low || at[1] > high)) return 0;
    for (uint32_t i = 2; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return length;
}

/* Writes a name as UTF-8; invalid bytes, which would make the text unreadable, become question
 * marks. */
static void state_name(state_text *to, const char *name)
{
    char plain[sizeof((player_source *)0)->path] = "";
    for (size_t i = 0; name[i];) {
        uint32_t length = state_character((const uint8_t *)name + i);
        if (length) memcpy(plain + i, name + i, length);
        else plain[i] = '?';
        i += length ? length : 1;
    }
    state_string(to, plain, strlen(plain));
}

static void put_state(const hed_synth_player *player, state_text *to)
{
    uint32_t turned = atomic_load(&player->turned);
    to->size = 0;
    state_words(to, "{\"version\": 1, \"name\": ");
    state_name(to, player->source.name);
    state_words(to, ", \"path\": ");
    state_name(to, player->source.path);
    state_words(to, ", \"macros\": [");
    for (uint32_t i = 0; i < HED_SYNTH_MACROS; i++) {
        if (i) state_words(to, ", ");
        if (turned >> i & 1) state_number(to, atomic_load(&player->knobs[i]));
        else state_words(to, "null");
    }
    state_words(to, "], \"gain\": ");
    state_number(to, atomic_load(&player->knobs[HED_SYNTH_KNOB_GAIN]));
    state_words(to, ", \"controllers\": [");
    for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++) {
        if (i) state_words(to, ", ");
        state_number(to, (float)atomic_load(&player->controllers[i]));
    }
    state_words(to, "], \"instrument\": ");
    state_string(to, player->source.text, player->source.size);
    state_words(to, "}");
}

const char *hed_synth_player_save(hed_synth_player *player, size_t *size, hed_error *error)
{
    const bool has_player = player;
    if (hed_require(error, __func__, "player", &has_player, 1)) return NULL;
    pthread_mutex_lock(&player->lock);
    if (!player->source.instrument) {
        pthread_mutex_unlock(&player->lock);
        hed_fail(error, HED_ERROR_ARGUMENT, "the player has no instrument yet: load one");
        return NULL;
    }
    state_text text = {player->state, 0, player->state_room};
    put_state(player, &text);
    /* knobs may change meanwhile: leave space for their digits */
    while (text.size >= text.room) {
        size_t room = text.size + 256;
        char *larger = hed_new(&player->allocator, room, 1, error);
        hed_delete(&player->allocator, player->state, player->state_room, 1);
        player->state = larger;
        player->state_room = larger ? room : 0;
        if (!larger) break;
        text = (state_text){larger, 0, room};
        put_state(player, &text);
    }
    if (player->state) player->state[text.size] = 0;
    if (size) *size = player->state ? text.size : 0;
    pthread_mutex_unlock(&player->lock);
    return player->state;
}

/* Reads all members but the instrument. */
static void read_settings(hed_json_node root, player_source *source, player_settings *settings)
{
    static const char *const keys[] = {
        "version", "name", "path", "macros", "gain", "controllers", "instrument", NULL};
    hed_json_only(root, keys);
    hed_json_node version = hed_json_member(root, "version");
    if (hed_json_integer(version, 1, INT32_MAX) > STATE_VERSION)
        hed_json_reject(version, "the state is of a newer Heddle");
    const char *name = hed_json_string(hed_json_member(root, "name")),
               *path = hed_json_string(hed_json_member(root, "path"));
    snprintf(source->name, sizeof source->name, "%s", name);
    if (strlen(path) < sizeof source->path) strcpy(source->path, path);
    hed_json_node macros = hed_json_member(root, "macros"),
                  controllers = hed_json_member(root, "controllers");
    for (uint32_t i = 0; i < HED_SYNTH_MACROS; i++) {
        hed_json_node item = hed_json_item(macros, i);
        if (hed_json_kind_of(item) == HED_JSON_NULL) continue;
        settings->macros.values[i] = (float)hed_json_number(item, 0, 1);
        settings->macros.turned |= 1u << i;
    }
    settings->gain = (float)hed_json_number(
        hed_json_member(root, "gain"), (double)PLAYER_LEAST_GAIN, (double)PLAYER_MOST_GAIN);
    for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++)
        settings->controllers[i] =
            (int32_t)hed_json_integer(hed_json_item(controllers, i), -1, 119);
}

hed_status hed_synth_player_restore(
    hed_synth_player *player, const char *state, size_t size, hed_error *error)
{
    HED_REQUIRE(player, state || !size);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    hed_json *json;
    if (hed_json_parse("the state", state, size, &json, error)) return error->status;
    hed_json_node root = hed_json_root(json);
    player_source source = {0}, named = {0};
    player_settings settings = {0};
    read_settings(root, &named, &settings);
    const char *text = hed_json_string(hed_json_member(root, "instrument"));
    hed_status status = hed_json_status(json, error);
    if (!status)
        status = player_make_source(player, text, strlen(text), named.name, &source, error);
    hed_json_free(json);
    if (status) {
        player_free_source(&player->allocator, &source);
        return status;
    }
    memcpy(source.name, named.name, sizeof source.name);
    memcpy(source.path, named.path, sizeof source.path);
    return player_take(player, &source, &settings, error);
}
