/* Presets for a CLAP host's browser: the built-in instruments, and the files in the user's
 * folder of instruments. */
#include "clap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/json.h"

typedef struct provider {
    clap_api_provider provider;
    const clap_api_indexer *indexer;
    hed_synth_player *player; /* provides the folder of the user's instruments */
    hed_synth_player_info info;
} provider;

static bool provider_init(const clap_api_provider *of)
{
    provider *p = of->data;
    const clap_api_indexer *indexer = p->indexer;
    const clap_api_file_type type = {"Heddle instrument", "", "json"};
    const clap_api_location built_in = {
        CLAP_API_FACTORY_CONTENT, "Heddle", CLAP_API_LOCATION_PLUGIN, NULL};
    if (!indexer->declare_filetype(indexer, &type) ||
        !indexer->declare_location(indexer, &built_in))
        return false;
    hed_synth_player_def def = hed_default_synth_player_def();
    if (!p->player && hed_synth_player_create(&def, &p->player, NULL)) return false;
    p->info = hed_synth_player_describe(p->player);
    const clap_api_location user_folder = {
        CLAP_API_USER_CONTENT, "Heddle, own instruments", CLAP_API_LOCATION_FILE, p->info.folder};
    if (user_folder.location[0])
        indexer->declare_location(indexer, &user_folder); /* the folder need not exist */
    return true;
}

static void provider_destroy(const clap_api_provider *of)
{
    provider *p = of->data;
    hed_synth_player_destroy(p->player);
    free(p);
}

static void tell_preset(const clap_api_metadata *to, uint32_t flags, hed_json *json)
{
    static const clap_api_plugin_id plugin = {"clap", PLUGIN_ID}, many = {"clap", PLUGIN_MANY_ID};
    to->add_plugin_id(to, &plugin);
    to->add_plugin_id(to, &many);
    to->set_flags(to, flags);
    if (flags == CLAP_API_FACTORY_CONTENT) to->add_creator(to, "Heddle");
    hed_json_node root = hed_json_root(json);
    if (hed_json_kind_of(root) == HED_JSON_OBJECT && hed_json_has(root, "description"))
        to->set_description(to, hed_json_string(hed_json_member(root, "description")));
    to->add_feature(to, "instrument");
}

static bool tell_built_in(const clap_api_metadata *to)
{
    for (const hed_source *file = hed_synth_preset_files; file->name; file++) {
        char key[64], name[64];
        hed_json *json;
        plugin_preset_name(file, key, sizeof key);
        plugin_preset_name(file, name, sizeof name);
        name[0] = (char)(name[0] - 'a' + 'A');
        if (hed_json_parse(file->name, file->text, file->size, &json, NULL)) return false;
        bool wanted = to->begin_preset(to, name, key);
        if (wanted) tell_preset(to, CLAP_API_FACTORY_CONTENT, json);
        hed_json_free(json);
        if (!wanted) return true;
    }
    return true;
}

static bool tell_user_file(const clap_api_metadata *to, const char *path)
{
    hed_error error = {0};
    hed_json *json;
    if (hed_json_read(path, &json, &error)) {
        to->on_error(to, 0, error.text);
        return false;
    }
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char name[128];
    snprintf(name, sizeof name, "%s", base);
    char *dot = strrchr(name, '.');
    if (dot) *dot = 0;
    if (to->begin_preset(to, name, NULL)) tell_preset(to, CLAP_API_USER_CONTENT, json);
    hed_json_free(json);
    return true;
}

static bool provider_get_metadata(
    const clap_api_provider *of, uint32_t kind, const char *location, const clap_api_metadata *to)
{
    (void)of;
    if (kind == CLAP_API_LOCATION_PLUGIN) return tell_built_in(to);
    return kind == CLAP_API_LOCATION_FILE && location && tell_user_file(to, location);
}

static const void *provider_get_extension(const clap_api_provider *of, const char *id)
{
    (void)of, (void)id;
    return NULL;
}

static const clap_api_provider_descriptor descriptor = {
    CLAP_API_VERSION, PLUGIN_ID ".presets", PLUGIN_NAME, "Heddle"};

static uint32_t provider_count(const clap_api_preset_factory *factory)
{
    (void)factory;
    return 1;
}

static const clap_api_provider_descriptor *provider_describe(
    const clap_api_preset_factory *factory, uint32_t index)
{
    (void)factory;
    return index == 0 ? &descriptor : NULL;
}

static const clap_api_provider *provider_create(
    const clap_api_preset_factory *factory, const clap_api_indexer *indexer, const char *id)
{
    (void)factory;
    provider *p = strcmp(id, descriptor.id) == 0 ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    p->indexer = indexer;
    p->provider = (clap_api_provider){&descriptor, p, provider_init, provider_destroy,
        provider_get_metadata, provider_get_extension};
    return &p->provider;
}

const clap_api_preset_factory clap_presets = {provider_count, provider_describe, provider_create};
