# The renderer is no part of the engine's library; what it calls stands behind it.
target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/cloth
                                                  ${CMAKE_SOURCE_DIR}/engines/cloth/view)
target_compile_definitions(${test_target} PRIVATE $<TARGET_PROPERTY:heddle-cloth-view,INTERFACE_COMPILE_DEFINITIONS>)
target_link_libraries(heddle-tests PRIVATE heddle-cloth-view heddle-cloth-internal)
if(HEDDLE_PORTABLE)
  return()
endif()
cmake_language(DEFER CALL target_link_libraries cloth_view_test PRIVATE heddle-cloth-view heddle-cloth-internal)

# The same by OpenGL, and the window where there is a virtual screen.
set(program ${CMAKE_CURRENT_BINARY_DIR}/cloth_view_test)
hed_add_test(NAME cloth_view_gl COMMAND ${CMAKE_COMMAND} -E env HEDDLE_TEST_PICTURES=gl
                                        ${program} --verbose --filter "cloth_picture/*")
hed_add_test(NAME cloth_view_window COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cloth_view_window.sh ${program})
