if(NOT HEDDLE_PORTABLE) # there all tests are one program, which synth_player.cmake links
  cmake_language(DEFER CALL target_link_libraries synth_player_stems_test PRIVATE heddle-synth-live-internal heddle-synth-internal)
endif()
