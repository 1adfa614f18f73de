target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/mppi)
# Sanitizers have a malloc of their own.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_PORTABLE)
  add_executable(mppi_data_faults mppi_data_faults.c)
  target_link_libraries(mppi_data_faults PRIVATE tested)
  hed_add_test(NAME mppi_data_faults COMMAND mppi_data_faults)
endif()
