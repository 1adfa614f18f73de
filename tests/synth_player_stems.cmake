cmake_language(DEFER CALL target_link_libraries synth_player_stems_test PRIVATE heddle-synth-live-internal heddle-synth-internal)
