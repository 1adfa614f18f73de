#include "model/mesh.h"
#include "support/errors.h"
#define NOT_YET hed_error_set(error, HED_ERROR_UNSUPPORTED, "not there yet")
const char *hed_mesh_fault_name(hed_mesh_fault fault) { (void)fault; return "fault"; }
hed_status hed_mesh_inspect(const hed_mesh *mesh, hed_mesh_check *check, hed_error *error) { (void)mesh; (void)check; return NOT_YET; }
hed_status hed_mesh_require_sound(const char *name, const hed_mesh *mesh, hed_error *error) { (void)name; (void)mesh; return NOT_YET; }
hed_status hed_mesh_mend(hed_mesh *mesh, uint32_t *removed, hed_error *error) { (void)mesh; *removed = 0; return NOT_YET; }
hed_status hed_mesh_weld(const hed_mesh *mesh, float distance, uint32_t *particle_of, uint32_t *particle_count, hed_error *error)
{ (void)mesh; (void)distance; (void)particle_of; *particle_count = 0; return NOT_YET; }
hed_status hed_mesh_write_ply(const char *path, const hed_mesh *mesh, const float *positions, const uint8_t *colours, hed_error *error)
{ (void)path; (void)mesh; (void)positions; (void)colours; return NOT_YET; }
hed_status hed_mesh_write_glb(const char *path, const hed_mesh *mesh, const float *positions, const float *normals, hed_error *error)
{ (void)path; (void)mesh; (void)positions; (void)normals; return NOT_YET; }
bool cloth_assimp_reads(const char *ending) { (void)ending; return false; }
hed_status cloth_assimp_read(const char *path, hed_mesh *mesh, hed_error *error) { (void)path; (void)mesh; return NOT_YET; }
