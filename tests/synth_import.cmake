target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/synth ${CMAKE_SOURCE_DIR}/engines/synth/kernels)
# Sanitizers have a malloc of their own.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_PORTABLE)
  add_executable(synth_files_faults synth_files_faults.c)
  target_link_libraries(synth_files_faults PRIVATE tested)
  hed_add_test(NAME synth_files_faults COMMAND synth_files_faults)
endif()
