/* Maps from handles to what the layer knows of them: open addressing, half full at most. Objects of
 * destroyed handles stay until the handle is used again. */
#include "layer/layer.h"

#include <stdlib.h>
#include <string.h>

static size_t place_of(void *const *keys, size_t capacity, const void *key)
{
    size_t place = (size_t)((uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
    while (keys[place] && keys[place] != key) place = (place + 1) & (capacity - 1);
    return place;
}

static bool map_grow(layer_map *map)
{
    enum { FIRST = 64 };
    size_t capacity = map->capacity ? 2 * map->capacity : FIRST;
    void **keys = calloc(capacity, sizeof *keys), **values = calloc(capacity, sizeof *values);
    if (!keys || !values) {
        free(keys);
        free(values);
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (!map->keys[i]) continue;
        size_t place = place_of(keys, capacity, map->keys[i]);
        keys[place] = map->keys[i];
        values[place] = map->values[i];
    }
    free(map->keys);
    free(map->values);
    map->keys = keys;
    map->values = values;
    map->capacity = capacity;
    return true;
}

void *layer_get(layer_map *map, const void *key)
{
    pthread_mutex_lock(&map->lock);
    void *value = map->capacity ? map->values[place_of(map->keys, map->capacity, key)] : NULL;
    pthread_mutex_unlock(&map->lock);
    return value;
}

void *layer_put(layer_map *map, const void *key, size_t size)
{
    void *value = calloc(1, size);
    pthread_mutex_lock(&map->lock);
    bool has_space = value && (2 * (map->count + 1) <= map->capacity || map_grow(map));
    if (has_space) {
        size_t place = place_of(map->keys, map->capacity, key);
        if (!map->keys[place]) map->count++;
        free(map->values[place]);
        map->keys[place] = (void *)(uintptr_t)key;
        map->values[place] = value;
    }
    pthread_mutex_unlock(&map->lock);
    if (has_space) return value;
    free(value);
    return NULL;
}
