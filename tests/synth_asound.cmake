# A card and a sequencer in front of libasound, where that is there; else nothing is tested here.
target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/synth)
if(NOT TARGET fake_asound)
  return()
endif()
target_compile_definitions(${test_target} PRIVATE LIVE_ASOUND)
target_link_libraries(heddle-tests PRIVATE heddle-synth-live-internal heddle-synth-internal)
cmake_language(DEFER CALL target_link_libraries synth_asound_test PRIVATE heddle-synth-live-internal heddle-synth-internal)
