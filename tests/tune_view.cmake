target_sources(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/cli/tune/view.c)
