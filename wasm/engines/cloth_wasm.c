/* Parts of cloth that a page does without: Alembic caches, whose reader would be 5 kB of the module. */
#include "engines/cloth/files/mesh_file.h"
#include "heddle/author.h"

hed_status cloth_alembic_parse(
    const char *bytes, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error)
{
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: Alembic caches are not read in WebAssembly; expected a mesh in OBJ, PLY, STL or glTF", name);
}

hed_status cloth_alembic_sample(const char *name, const char *bytes, size_t size, double rate,
    hed_cloth_pc2_data *samples, hed_error *error)
{
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: Alembic caches are not read in WebAssembly; expected a PC2 point cache or glTF", name);
}
