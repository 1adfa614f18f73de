/* The file of a capture, as docs/capture.md describes it: a head of HED_CAPTURE_ALIGN bytes, then
 * sections, each with a head of as many bytes, its content, zeros, and the hash of both in its last
 * 16 bytes, all a multiple of HED_CAPTURE_ALIGN. Numbers are little-endian, as the machines we run
 * on are. The last section is HED_CAPTURE_END, at the end of the file. */
#ifndef HED_TUNE_CAPTURE_H
#define HED_TUNE_CAPTURE_H

#include "base/hash.h"
#include "base/text.h"
#include "heddle/author.h"
#include "heddle/capture.h"

enum {
    HED_CAPTURE_ALIGN = 64,
    HED_CAPTURE_VERSION = 1,
    /* sources, constraints, conditions, defines: at most so many of each */
    HED_CAPTURE_LIST = 256,
    HED_CAPTURE_VALUES = 255 /* of a parameter */
};

#define HED_CAPTURE_MAGIC "heddle capture\n" /* 16 bytes with the zero */

typedef struct hed_capture_head {
    char magic[16];
    uint32_t version;
    char zeros[HED_CAPTURE_ALIGN - 20];
} hed_capture_head;

typedef enum hed_capture_kind {
    HED_CAPTURE_END,
    HED_CAPTURE_DESCRIPTION,
    HED_CAPTURE_CONFIGURATIONS,
    HED_CAPTURE_DATA,    /* first content of argument `index` */
    HED_CAPTURE_EXPECTED /* what the launch left in it */
} hed_capture_kind;

typedef struct hed_capture_section {
    uint32_t kind, index;
    uint64_t size; /* of the content */
    char zeros[HED_CAPTURE_ALIGN - 16];
} hed_capture_section;

_Static_assert(sizeof(hed_capture_head) == HED_CAPTURE_ALIGN &&
                   sizeof(hed_capture_section) == HED_CAPTURE_ALIGN,
    "heads");

/* The hash of a section: its head, then its content in pieces of this size, as they come from a
 * device. */
enum { HED_CAPTURE_PIECE = 1 << 20 };

/* Bytes between the content of a section and its end: zeros, then the hash. */
static inline uint64_t hed_capture_tail(uint64_t size)
{
    uint64_t over = (size + sizeof(hed_hash)) % HED_CAPTURE_ALIGN;
    return sizeof(hed_hash) + (over ? HED_CAPTURE_ALIGN - over : 0);
}

/* The table: this head; `geometries` records of hed_capture_geometry_bytes(); the ranks, ascending,
 * as uint64_t; for each of them its geometry's index, as uint32_t. A rank is a configuration's
 * index in the full product. */
typedef struct hed_capture_table {
    uint64_t configurations, geometries, local_count, zero;
} hed_capture_table;

/* What is stored of a geometry; behind it stand local_count uint64_t, one for each local array in
 * the order of arguments. */
typedef struct hed_capture_geometry {
    uint64_t global[3], native_items, native_grain;
    uint32_t group[3], dimensions, cluster, zero;
} hed_capture_geometry;

static inline uint64_t hed_capture_geometry_bytes(uint64_t local_count)
{
    return sizeof(hed_capture_geometry) + local_count * sizeof(uint64_t);
}

/* Everything of a launch that is not a buffer. Texts belong to the caller that filled it in. */
typedef struct hed_capture_launched {
    hed_kernel_def def; /* its lists point below, or to the caller's */
    hed_math math;
    hed_problem problem;
    hed_work work;
    bool has_work;
    hed_capture_info info;
    uint64_t bytes[HED_MAX_ARGUMENTS]; /* of buffers */
} hed_capture_launched;

/* capture_description.c: the two directions of HED_CAPTURE_DESCRIPTION, which a worker's job has as
 * well. */
typedef struct hed_description_reader {
    const char *path; /* for messages */
    const unsigned char *bytes;
    uint64_t size, at;
    uint64_t base;    /* where `bytes` begin in the file, for messages */
    uint32_t most;    /* entries of a list: HED_CAPTURE_LIST in a capture */
    bool own;         /* written by this program: checked for what it would make us read, no more */
    hed_arena *arena; /* of the lists; texts point into `bytes` */
    hed_error *error;
    hed_status status; /* the first failure; everything after it is 0, NULL or "" */
} hed_description_reader;

void hed_capture_pack(hed_text *bytes, const hed_capture_launched *launched);
/* Reads up to the end of `bytes`. Errors: FORMAT, MEMORY. */
hed_status hed_capture_unpack(hed_description_reader *reader, hed_capture_launched *launched);

/* capture_description.c: the pieces of it. `what` names one in a message. */
void hed_put_u32(hed_text *to, uint32_t value);
void hed_put_u64(hed_text *to, uint64_t value);
void hed_put_double(hed_text *to, double value);
void hed_put_text(hed_text *to, const char *text);
void hed_put_defines(hed_text *to, const hed_define *defines, uint32_t count);
uint32_t hed_get_u32(hed_description_reader *reader, const char *what);
uint64_t hed_get_u64(hed_description_reader *reader, const char *what);
double hed_get_double(hed_description_reader *reader, const char *what);
uint32_t hed_get_below(
    hed_description_reader *reader, uint32_t limit, const char *what, const char *expected);
/* May be NULL where that was put. */
const char *hed_get_text(hed_description_reader *reader, const char *what);
/* One that must be there, and in a capture must not be empty. */
const char *hed_get_word(hed_description_reader *reader, const char *what);
hed_define *hed_get_defines(hed_description_reader *reader, uint32_t *count);

/* capture_write.c: the content of HED_CAPTURE_CONFIGURATIONS, of `*size` bytes; freed with
 * hed_release(). Errors: those of hed_space_create_for_kernel(), MEMORY, LIMIT. */
hed_status hed_capture_table_make(hed_device *device, const hed_capture_launched *launched,
    void **bytes, uint64_t *size, hed_error *error);
/* Index of a configuration in the full product; false: a value that is none of the parameter's. */
bool hed_capture_rank(const hed_kernel_def *def, const hed_config *config, uint64_t *rank);

/* capture_write.c: captures the first launch of a kernel that hed_context_def.capture names: into
 * NAME.hcap in the current folder, and says so in the log. Where that fails the log says why, and
 * the launch goes on. */
void hed_capture_first(hed_stream *stream, hed_kernel *kernel, const hed_problem *problem,
    const hed_argument *arguments, uint32_t argument_count);

#endif
