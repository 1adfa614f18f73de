# Checks of kernels that are no C tests: the OpenCL front end on every kernel file, and Oclgrind.
hed_add_test(NAME kernel_syntax COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/kernel_syntax.sh ${CMAKE_SOURCE_DIR})

add_executable(oclgrind_run oclgrind_run.c)
target_link_libraries(oclgrind_run PRIVATE tested)
hed_add_test(NAME oclgrind COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/oclgrind.sh $<TARGET_FILE:oclgrind_run>
                                   ${CMAKE_CURRENT_SOURCE_DIR}/planted
             LABELS full TIMEOUT 1800)
