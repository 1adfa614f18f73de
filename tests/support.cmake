# Sanitizers have a malloc of their own.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_PORTABLE)
  add_executable(support_faults support_faults.c)
  target_link_libraries(support_faults PRIVATE tested)
  hed_add_test(NAME support_faults COMMAND support_faults)
endif()
