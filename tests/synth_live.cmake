# The library for playing live stands before the engine that it calls.
target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/synth)
target_link_libraries(heddle-tests PRIVATE heddle-synth-live-internal heddle-synth-internal)
if(HEDDLE_PORTABLE)
  return()
endif()
cmake_language(DEFER CALL target_link_libraries synth_live_test PRIVATE heddle-synth-live-internal heddle-synth-internal)
# JACK's buffers are handed from thread to thread by its own means, which ThreadSanitizer does not see.
if(NOT HEDDLE_SANITIZE MATCHES thread)
  target_compile_definitions(${test_target} PRIVATE LIVE_DRIVERS)
endif()
