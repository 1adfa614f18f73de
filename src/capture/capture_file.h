/* Layout of a capture file, as docs/capture.md describes it: a head of HED_CAPTURE_ALIGN bytes,
 * then sections. A section is a head of HED_CAPTURE_ALIGN bytes, the content, zeros up to a
 * multiple of HED_CAPTURE_ALIGN, and in its last 16 bytes the hash of head and content. Numbers are
 * little-endian, the byte order of all supported machines. The last section, HED_CAPTURE_END, ends
 * the file. */
#ifndef HED_CAPTURE_CAPTURE_FILE_H
#define HED_CAPTURE_CAPTURE_FILE_H

#include "base/hash.h"
#include "base/text.h"
#include "heddle/author.h"
#include "heddle/capture.h"

enum {
    HED_CAPTURE_ALIGN = 64,
    HED_CAPTURE_VERSION = 1,
    /* maximum length of each list: sources, constraints, conditions, defines */
    HED_CAPTURE_LIST = 256,
    HED_CAPTURE_VALUES = 65535 /* maximum number of values of a parameter */
};

#define HED_CAPTURE_MAGIC "heddle capture\n" /* 16 bytes including the zero */

typedef struct hed_capture_head {
    char magic[16];
    uint32_t version;
    char zeros[HED_CAPTURE_ALIGN - 20];
} hed_capture_head;

typedef enum hed_capture_kind {
    HED_CAPTURE_END,
    HED_CAPTURE_DESCRIPTION,
    HED_CAPTURE_CONFIGURATIONS,
    HED_CAPTURE_DATA,    /* initial content of argument `index` */
    HED_CAPTURE_EXPECTED /* content of argument `index` after the launch */
} hed_capture_kind;

typedef struct hed_capture_section {
    uint32_t kind, index;
    uint64_t size; /* bytes of the content */
    char zeros[HED_CAPTURE_ALIGN - 16];
} hed_capture_section;

_Static_assert(sizeof(hed_capture_head) == HED_CAPTURE_ALIGN &&
                   sizeof(hed_capture_section) == HED_CAPTURE_ALIGN,
    "heads");

/* Bytes hashed at once: the hash of a section covers its head, then its content in pieces of this
 * size, the size of a transfer from the device. */
enum { HED_CAPTURE_PIECE = 1 << 20 };

/* Bytes from the end of a section's content to the end of the section: zeros, then the hash. */
static inline uint64_t hed_capture_tail(uint64_t size)
{
    uint64_t over = (size + sizeof(hed_hash)) % HED_CAPTURE_ALIGN;
    return sizeof(hed_hash) + (over ? HED_CAPTURE_ALIGN - over : 0);
}

/* Head of the section HED_CAPTURE_CONFIGURATIONS. After it: `geometries` records of
 * hed_capture_geometry_bytes(); (configurations) ascending ranks, uint64_t; (configurations)
 * geometry indices, uint32_t. A rank is a configuration's index in the full product of all
 * parameters' values. */
typedef struct hed_capture_table {
    uint64_t configurations, geometries, local_count, zero;
} hed_capture_table;

/* Stored fields of a geometry, followed by local_count uint64_t: bytes of each local array, in the
 * order of arguments. */
typedef struct hed_capture_geometry {
    uint64_t global[3], native_items, native_grain;
    uint32_t group[3], dimensions, cluster, zero;
} hed_capture_geometry;

static inline uint64_t hed_capture_geometry_bytes(uint64_t local_count)
{
    return sizeof(hed_capture_geometry) + local_count * sizeof(uint64_t);
}

/* All data of a launch except buffer contents. Texts belong to the caller that filled them in. */
typedef struct hed_capture_launched {
    hed_kernel_def def; /* lists point to the fields below, or to the caller's data */
    hed_math math;
    hed_problem problem;
    hed_work work;
    bool has_work;
    hed_capture_info info;
    uint64_t bytes[HED_MAX_ARGUMENTS]; /* size of each buffer */
} hed_capture_launched;

/* capture_description.c: writes and reads the section HED_CAPTURE_DESCRIPTION, which is also part
 * of a worker's job. */
typedef struct hed_description_reader {
    const char *path; /* path, for messages */
    const unsigned char *bytes;
    uint64_t size, at;
    uint64_t base;       /* offset of `bytes` in the file, for messages */
    uint32_t list_limit; /* maximum length of a list: HED_CAPTURE_LIST in a capture */
    bool is_internal;    /* written by this program: only bounds of memory accesses are checked */
    hed_arena *arena;    /* memory of the lists; texts point into `bytes` */
    hed_error *error;
    hed_status status; /* the first failure; every value read after it is 0, NULL or "" */
} hed_description_reader;

void hed_capture_pack(hed_text *bytes, const hed_capture_launched *launched);
/* Reads a description up to the end of `bytes`. Errors: FORMAT, MEMORY. */
hed_status hed_capture_unpack(hed_description_reader *reader, hed_capture_launched *launched);

/* capture_description.c: writers and readers of single values. `what` names the value in a
 * message. */
void hed_put_u32(hed_text *to, uint32_t value);
void hed_put_u64(hed_text *to, uint64_t value);
void hed_put_double(hed_text *to, double value);
void hed_put_text(hed_text *to, const char *text);
void hed_put_defines(hed_text *to, const hed_define *defines, uint32_t count);
uint32_t hed_get_u32(hed_description_reader *reader, const char *name);
uint64_t hed_get_u64(hed_description_reader *reader, const char *name);
double hed_get_double(hed_description_reader *reader, const char *name);
uint32_t hed_get_below(
    hed_description_reader *reader, uint32_t limit, const char *name, const char *expected);
/* Reads a text that may be NULL, as hed_put_text() wrote it. */
const char *hed_get_text(hed_description_reader *reader, const char *name);
/* Reads a text that must not be NULL, nor empty in a capture. */
const char *hed_get_word(hed_description_reader *reader, const char *name);
hed_define *hed_get_defines(hed_description_reader *reader, uint32_t *count);

/* capture_write.c: builds the content of HED_CAPTURE_CONFIGURATIONS, `*size` bytes; free it with
 * hed_release(). Errors: as hed_space_create_for_kernel(), MEMORY, LIMIT. */
hed_status hed_capture_table_make(hed_device *device, const hed_capture_launched *launched,
    void **bytes, uint64_t *size, hed_error *error);
/* Finds the index of a configuration in the full product. Returns false if a value is not in its
 * parameter's list. */
bool hed_capture_rank(const hed_kernel_def *def, const hed_config *config, uint64_t *rank);

/* capture_write.c: captures the first launch of the kernel named by hed_context_def.capture into
 * NAME.hcap in the current folder, and logs the path. A failure is logged and does not fail the
 * launch. */
void hed_capture_first(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count);

#endif
