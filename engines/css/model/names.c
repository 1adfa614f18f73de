/* Names: interned strings in a hash table with chains. Texts are stored contiguously in blocks.
 * Names come from untrusted input, so each table has its own hash seed. */
#include "names.h"

enum { NAMES_FIRST = 1024, NAMES_BLOCK = 1 << 16 };

/* Number of up to eight bytes of a text; different for different texts of one length. */
static inline uint64_t first_word(const char *text, size_t length)
{
    uint64_t word = 0;
    uint32_t first, last;
    if (length >= 8) {
        memcpy(&word, text, 8);
    } else if (length >= 4) { /* two halves, which may overlap */
        memcpy(&first, text, 4);
        memcpy(&last, text + length - 4, 4);
        word = (uint64_t)last << 32 | first;
    } else if (length) { /* first, middle and last byte */
        word = (uint64_t)(unsigned char)text[0] << 16 |
               (uint64_t)(unsigned char)text[length / 2] << 8 | (unsigned char)text[length - 1];
    }
    return word;
}

static inline uint32_t names_hash(const hed_css_names *names, const char *text, size_t length)
{
    /* eight bytes at a time, the last ones may overlap: multiply, fold the upper half in */
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t h = names->seed ^ (length * factor);
    const char *last = length > 8 ? text + length - 8 : text;
    for (; text < last; text += 8) {
        h = (h ^ first_word(text, 8)) * factor;
        h ^= h >> 32;
    }
    h = (h ^ first_word(last, length)) * factor;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32);
}

hed_status hed_css_names_create(
    const hed_allocator *allocator, hed_css_names **names, hed_error *error)
{
    HED_REQUIRE(names);
    *names = NULL;
    hed_css_names *table = hed_new(allocator, 1, sizeof *table, error);
    if (!table) return HED_ERROR_MEMORY;
    table->allocator = allocator && allocator->allocate ? *allocator : hed_default_allocator();
    table->capacity = table->bucket_count = NAMES_FIRST;
    table->seed = hed_now() ^ (uint64_t)(uintptr_t)table;
    table->names = hed_new(&table->allocator, table->capacity, sizeof *table->names, error);
    table->buckets = hed_new(&table->allocator, table->bucket_count, 4, error);
    if (!table->names || !table->buckets) {
        hed_css_names_destroy(table);
        return HED_ERROR_MEMORY;
    }
    memset(table->buckets, 0xff, table->bucket_count * sizeof *table->buckets);
    *names = table;
    return HED_OK;
}

void hed_css_names_destroy(hed_css_names *names)
{
    if (!names) return;
    while (names->blocks) {
        struct css_name_block *block = names->blocks;
        names->blocks = block->next;
        hed_delete(&names->allocator, block, block->size, 1);
    }
    hed_delete(&names->allocator, names->names, names->capacity, sizeof *names->names);
    hed_delete(&names->allocator, names->buckets, names->bucket_count, sizeof *names->buckets);
    hed_delete(&names->allocator, names, 1, sizeof *names);
}

/* Doubles the room, and moves every name to its new bucket. */
static bool names_grow(hed_css_names *names)
{
    if (names->capacity > HED_CSS_NONE / 4) return false;
    uint32_t capacity = names->capacity * 2;
    struct css_name *grown = hed_new(&names->allocator, capacity, sizeof *grown, NULL);
    uint32_t *buckets = hed_new(&names->allocator, capacity, sizeof *buckets, NULL);
    if (!grown || !buckets) {
        hed_delete(&names->allocator, grown, capacity, sizeof *grown);
        hed_delete(&names->allocator, buckets, capacity, sizeof *buckets);
        return false;
    }
    memcpy(grown, names->names, names->count * sizeof *grown);
    memset(buckets, 0xff, capacity * sizeof *buckets);
    for (uint32_t i = 0; i < names->count; i++) {
        uint32_t *bucket = &buckets[grown[i].hash & (capacity - 1)];
        grown[i].next = *bucket;
        *bucket = i;
    }
    hed_delete(&names->allocator, names->names, names->capacity, sizeof *names->names);
    hed_delete(&names->allocator, names->buckets, names->bucket_count, sizeof *names->buckets);
    names->names = grown;
    names->buckets = buckets;
    names->capacity = names->bucket_count = capacity;
    return true;
}

/* Zero-terminated copy of a text; NULL: out of memory. */
static char *names_copy(hed_css_names *names, const char *text, size_t length)
{
    if (length + 1 > names->left) {
        size_t room = length + 1 > NAMES_BLOCK / 4 ? length + 1 : NAMES_BLOCK;
        size_t size = sizeof(struct css_name_block) + room;
        struct css_name_block *block = hed_new(&names->allocator, size, 1, NULL);
        if (!block) return NULL;
        *block = (struct css_name_block){names->blocks, size};
        names->blocks = block;
        if (room != NAMES_BLOCK) { /* a separate block; the common block stays open */
            char *copy = (char *)(block + 1);
            memcpy(copy, text, length);
            return copy;
        }
        names->open = (char *)(block + 1);
        names->left = room;
    }
    char *copy = names->open;
    memcpy(copy, text, length);
    copy[length] = 0;
    names->open += length + 1;
    names->left -= length + 1;
    return copy;
}

static uint32_t names_look_up(
    const hed_css_names *names, const char *text, size_t length, uint32_t hash)
{
    uint32_t i = names->buckets[hash & (names->bucket_count - 1)];
    for (; i != HED_CSS_NONE; i = names->names[i].next) {
        const struct css_name *name = &names->names[i];
        if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0)
            break;
    }
    return i;
}

uint32_t css_name_find(const hed_css_names *names, const char *text, size_t length)
{
    if (length == 0) text = "";
    return names_look_up(names, text, length, names_hash(names, text, length));
}

uint32_t hed_css_names_add(hed_css_names *names, const char *text, size_t length)
{
    if (!names || (!text && length)) return HED_CSS_NONE;
    if (length == 0) text = "";
    uint32_t hash = names_hash(names, text, length);
    uint32_t number = names_look_up(names, text, length, hash);
    if (number != HED_CSS_NONE) return number;
    if (length >= UINT32_MAX) return HED_CSS_NONE;
    if (names->count == names->capacity && !names_grow(names)) return HED_CSS_NONE;
    const char *copy = names_copy(names, text, length);
    if (!copy) return HED_CSS_NONE;
    uint32_t *bucket = &names->buckets[hash & (names->bucket_count - 1)], lower = names->count;
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 'A' && text[i] <= 'Z') {
            lower = HED_CSS_NONE;
            break;
        }
    names->names[names->count] = (struct css_name){copy, (uint32_t)length, hash, *bucket, lower};
    *bucket = names->count;
    return names->count++;
}

uint32_t css_name_lower(hed_css_names *names, uint32_t number)
{
    const struct css_name *name = &names->names[number];
    if (name->lower != HED_CSS_NONE) return name->lower;
    char small[256] = "", *text = small;
    size_t length = name->length;
    if (length > sizeof small) text = hed_new(&names->allocator, length, 1, NULL);
    if (!text) return HED_CSS_NONE;
    for (size_t i = 0; i < length; i++) text[i] = css_ascii_lower(name->text[i]);
    uint32_t lower = hed_css_names_add(names, text, length);
    if (text != small) hed_delete(&names->allocator, text, length, 1);
    return names->names[number].lower = lower;
}

const char *hed_css_names_text(const hed_css_names *names, uint32_t number, size_t *length)
{
    if (!names) return "";
    bool known = number < names->count;
    if (length) *length = known ? names->names[number].length : 0;
    return known ? names->names[number].text : "";
}
