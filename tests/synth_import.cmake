target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/synth ${CMAKE_SOURCE_DIR}/engines/synth/kernels)
# Sanitizers have a malloc of their own.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_PORTABLE)
  add_executable(synth_import_faults synth_import_faults.c)
  target_link_libraries(synth_import_faults PRIVATE tested)
  hed_add_test(NAME synth_import_faults COMMAND synth_import_faults)
endif()
