target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cli/tune/page_file.c)
