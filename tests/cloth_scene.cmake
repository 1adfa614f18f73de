target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/cloth)
# Sanitizers have a malloc of their own.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_PORTABLE)
  add_executable(cloth_scene_faults cloth_scene_faults.c)
  target_link_libraries(cloth_scene_faults PRIVATE tested)
  hed_add_test(NAME cloth_scene_faults COMMAND cloth_scene_faults)
endif()
