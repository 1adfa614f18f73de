target_link_libraries(${name} PRIVATE heddle-command heddle::zlib)
