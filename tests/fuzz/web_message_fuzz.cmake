target_link_libraries(${name} PRIVATE heddle-web-internal)
