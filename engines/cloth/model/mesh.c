/* Meshes: not there yet. */
#include "heddle/cloth_mesh.h"

#include "support/errors.h"

#include <string.h>

#define NOT_YET hed_error_set(error, HED_ERROR_UNSUPPORTED, "not there yet")

hed_status hed_mesh_read(const char *path, hed_mesh *mesh, hed_error *error) { (void)path; *mesh = (hed_mesh){0}; return NOT_YET; }
hed_status hed_mesh_parse_obj(const char *name, const char *text, size_t size, hed_mesh *mesh, hed_error *error)
{ (void)name; (void)text; (void)size; *mesh = (hed_mesh){0}; return NOT_YET; }
void hed_mesh_free(hed_mesh *mesh) { (void)mesh; }
const char *hed_mesh_fault_name(hed_mesh_fault fault) { (void)fault; return "fault"; }
hed_status hed_mesh_inspect(const hed_mesh *mesh, hed_mesh_check *check, hed_error *error) { (void)mesh; (void)check; return NOT_YET; }
hed_status hed_mesh_require_sound(const char *name, const hed_mesh *mesh, hed_error *error) { (void)name; (void)mesh; return NOT_YET; }
hed_status hed_mesh_mend(hed_mesh *mesh, uint32_t *removed, hed_error *error) { (void)mesh; *removed = 0; return NOT_YET; }
hed_status hed_mesh_weld(const hed_mesh *mesh, float distance, uint32_t *particle_of, uint32_t *particle_count, hed_error *error)
{ (void)mesh; (void)distance; (void)particle_of; *particle_count = 0; return NOT_YET; }
bool hed_mesh_is_grid(const hed_mesh *mesh, uint32_t *width, uint32_t *height) { (void)mesh; *width = *height = 0; return false; }
hed_status hed_mesh_write_obj(const char *path, const hed_mesh *mesh, const float *positions, const float *normals, hed_error *error)
{ (void)path; (void)mesh; (void)positions; (void)normals; return NOT_YET; }
hed_status hed_mesh_write_ply(const char *path, const hed_mesh *mesh, const float *positions, const uint8_t *colours, hed_error *error)
{ (void)path; (void)mesh; (void)positions; (void)colours; return NOT_YET; }
hed_status hed_mesh_write_glb(const char *path, const hed_mesh *mesh, const float *positions, const float *normals, hed_error *error)
{ (void)path; (void)mesh; (void)positions; (void)normals; return NOT_YET; }
hed_status hed_pc2_create(const char *path, uint32_t vertex_count, float start, float sampling, hed_pc2 **cache, hed_error *error)
{ (void)path; (void)vertex_count; (void)start; (void)sampling; *cache = NULL; return NOT_YET; }
hed_status hed_pc2_resume(const char *path, uint32_t vertex_count, hed_pc2 **cache, uint32_t *frames, hed_error *error)
{ (void)path; (void)vertex_count; *frames = 0; *cache = NULL; return NOT_YET; }
hed_status hed_pc2_cut(hed_pc2 *cache, uint32_t frames, hed_error *error) { (void)cache; (void)frames; return NOT_YET; }
hed_status hed_pc2_add(hed_pc2 *cache, const float *positions, hed_error *error) { (void)cache; (void)positions; return NOT_YET; }
hed_status hed_pc2_close(hed_pc2 *cache, hed_error *error) { (void)cache; return NOT_YET; }
hed_status hed_pc2_read(const char *path, hed_pc2_data *data, hed_error *error) { (void)path; *data = (hed_pc2_data){0}; return NOT_YET; }
void hed_pc2_free(hed_pc2_data *data) { (void)data; }
