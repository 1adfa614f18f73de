target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cli/css/source_map.c ${CMAKE_SOURCE_DIR}/cli/css/files.c ${CMAKE_SOURCE_DIR}/cli/css/site.c)
target_link_libraries(${name} PRIVATE heddle-command heddle::jansson)
