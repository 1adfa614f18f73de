/* What the files of the T1 reader share. */
#ifndef HED_TUNEFILE_SPEC_T1_H
#define HED_TUNEFILE_SPEC_T1_H

#include "tunefile/spec_parts.h"

/* The values of a parameter: whole numbers, or texts, which are numbered in their order. */
typedef struct hed_t1_values {
    int64_t numbers[HED_SPEC_VALUES];
    const char *labels[HED_SPEC_VALUES]; /* NULL: numbers */
    uint32_t count;
} hed_t1_values;

/* From a list of Python in a string, or a list of JSON. */
void hed_t1_read_values(hed_spec_reader *reader, hed_json_node node, hed_t1_values *values);

/* Python that expressions do not have, put into their words: ProblemSize[0] becomes ProblemSize_0,
 * and max(name) of a parameter the largest of its values, which is what that is in a size. */
const char *hed_t1_rewrite(hed_spec_reader *reader, hed_json_node node, const char *text);
/* A string or number as text, rewritten. */
const char *hed_t1_text(hed_spec_reader *reader, hed_json_node node);

/* A member that may be missing or null, which is the same here: not there. */
hed_json_node hed_t1_optional(hed_json_node object, const char *key);

/* Arguments and reference arguments of a KernelSpecification (tune_spec_t1_arguments.c). */
void hed_t1_read_arguments(hed_spec_reader *reader, hed_json_node specification);

#endif
