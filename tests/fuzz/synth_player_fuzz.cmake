target_link_libraries(${name} PRIVATE heddle-synth-live-internal heddle-synth-internal)
