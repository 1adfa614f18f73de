/* Members of the structs of a module of SPIR-V, and declarations of its blocks in WGSL. */
#ifndef HED_SHADER_SPIRV_LAYOUT_H
#define HED_SHADER_SPIRV_LAYOUT_H

#include "shader/spirv_module.h"

/* Name, offset and access of a struct's member, which are in instructions of their own. */
typedef struct hed_spirv_member {
    char name[HED_SHADER_NAME];
    uint32_t offset, matrix_stride;
    bool read_only, write_only;
    hed_status status; /* LIMIT: its name is too long */
} hed_spirv_member;

hed_spirv_member hed_spirv_find_member(const hed_spirv_reader *r, uint32_t type, uint32_t index);

/* Declares the structs of a block in `layouts` of the shader and writes its type into `layout`, "" if
 * WGSL has no type with these offsets. A block of one array without a length is that array. */
void hed_spirv_write_layout(hed_spirv_reader *r, uint32_t type, char layout[HED_SHADER_NAME]);

#endif
