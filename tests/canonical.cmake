# Checks of kernels that are no C tests: the OpenCL front end on every kernel file, and Oclgrind.
if(HEDDLE_PORTABLE)
  return()
endif()
hed_add_test(NAME kernel_syntax COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/kernel_syntax.sh ${CMAKE_SOURCE_DIR})

add_executable(oclgrind_run oclgrind_run.c)
target_include_directories(oclgrind_run PRIVATE ${CMAKE_SOURCE_DIR}/engines/cloth ${CMAKE_SOURCE_DIR}/engines/cloth/kernels)
target_link_libraries(oclgrind_run PRIVATE tested)
hed_add_test(NAME oclgrind COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/oclgrind.sh $<TARGET_FILE:oclgrind_run>
                                   ${CMAKE_CURRENT_SOURCE_DIR}/planted
             LABELS full LONG)

# Every configuration of the kernels with small spaces. Convolution and matmul have thousands, which take
# hours to compile: HEDDLE_TEST_CONFIGURATIONS=all tests/canonical_test --filter 'conformance/*' on a quiet machine.
foreach(device IN LISTS HEDDLE_TEST_DEVICES)
  string(REPLACE ":" "_" word ${device})
  hed_add_test(NAME canonical_all.${word} DEVICE ${device}
               COMMAND $<TARGET_FILE:on_device> $<TARGET_FILE:canonical_test> --verbose
                       --filter "conformance/@(copy|saxpy|transpose|reduction|scan_tree|scan|scan_single|nbody)"
               LABELS full LONG)
  set_property(TEST canonical_all.${word} APPEND PROPERTY ENVIRONMENT HEDDLE_TEST_CONFIGURATIONS=all)
endforeach()
