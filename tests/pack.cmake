# Sanitizers have a malloc of their own.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_PORTABLE)
  add_executable(pack_rt pack_rt.c)
  target_link_libraries(pack_rt PRIVATE tested)
  hed_add_test(NAME pack_rt COMMAND pack_rt)
endif()
