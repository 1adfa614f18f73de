# Sound files are no part of the engine's library.
target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/synth)
target_link_libraries(heddle-tests PRIVATE heddle-synth-sound)
if(HEDDLE_PORTABLE)
  return()
endif()
cmake_language(DEFER CALL target_link_libraries synth_sound_test PRIVATE heddle-synth-sound)
