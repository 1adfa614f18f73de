# The calls are made from the public headers, so that a new function is among them.
target_link_libraries(heddle-tests PRIVATE heddle-synth-live-internal heddle-synth-internal)
if(NOT HEDDLE_PORTABLE)
  cmake_language(DEFER CALL target_link_libraries null_walk_test PRIVATE heddle-synth-live-internal heddle-synth-internal)
endif()
find_program(HEDDLE_python3 python3)
mark_as_advanced(HEDDLE_python3)
if(NOT HEDDLE_python3)
  return()
endif()
set(folder ${CMAKE_CURRENT_BINARY_DIR}/null_walk)
file(MAKE_DIRECTORY ${folder})
file(GLOB public_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/heddle/*.h)
add_custom_command(OUTPUT ${folder}/null_calls.inc
                   COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} ${HEDDLE_python3} ${CMAKE_CURRENT_SOURCE_DIR}/null_walk.py
                           ${CMAKE_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/null_optional.txt ${folder}/null_calls.inc
                   DEPENDS null_walk.py null_optional.txt ${CMAKE_SOURCE_DIR}/python/interface.py ${public_headers} VERBATIM)
target_sources(${test_target} PRIVATE ${folder}/null_calls.inc)
target_include_directories(${test_target} PRIVATE ${folder})
target_compile_definitions(${test_target} PRIVATE HAS_NULL_CALLS)
