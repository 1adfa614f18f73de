# The calls are made from the headers.
file(GLOB public_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/heddle/*.h)
set(calls ${CMAKE_CURRENT_BINARY_DIR}/sticky/sticky_calls.h)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/sticky)
add_custom_command(OUTPUT ${calls} COMMAND awk -f ${CMAKE_CURRENT_SOURCE_DIR}/sticky.awk ${public_headers} > ${calls}
                   DEPENDS sticky.awk ${public_headers} VERBATIM)
target_sources(${test_target} PRIVATE ${calls})
target_include_directories(${test_target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/sticky)
# The library for playing live stands before the engine that it calls.
target_link_libraries(heddle-tests PRIVATE heddle-synth-live-internal heddle-synth-internal)
if(NOT HEDDLE_PORTABLE)
  cmake_language(DEFER CALL target_link_libraries sticky_test PRIVATE heddle-synth-live-internal heddle-synth-internal)
endif()
