target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cli/batch/line.c)
