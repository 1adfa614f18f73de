target_link_libraries(${name} PRIVATE heddle-command-whole)
