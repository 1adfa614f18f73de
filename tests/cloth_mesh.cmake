# Sanitizers have a malloc of their own.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_PORTABLE)
  add_executable(cloth_mesh_faults cloth_mesh_faults.c)
  target_link_libraries(cloth_mesh_faults PRIVATE tested)
  hed_add_test(NAME cloth_mesh_faults COMMAND cloth_mesh_faults)
endif()
