target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/synth ${CMAKE_SOURCE_DIR}/engines/synth/kernels)
# Sanitizers have a malloc of their own.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_PORTABLE)
  add_executable(synth_file_faults synth_file_faults.c)
  target_link_libraries(synth_file_faults PRIVATE tested)
  hed_add_test(NAME synth_file_faults COMMAND synth_file_faults)
endif()
