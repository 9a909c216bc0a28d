# Registers the test that the installed package serves an outside project: see testing/consumer/run.cmake.

add_test(NAME installed_package
  COMMAND "${CMAKE_COMMAND}"
    "-Dfathom_build=${PROJECT_BINARY_DIR}"
    "-Dconfig=$<CONFIG>"
    "-Dgenerator=${CMAKE_GENERATOR}"
    "-Dcompiler=${CMAKE_CXX_COMPILER}"
    -P "${PROJECT_SOURCE_DIR}/testing/consumer/run.cmake")
# The package of a sanitizer build would say no more, and its consumer would have to be instrumented too.
set_tests_properties(installed_package PROPERTIES LABELS no-sanitizer TIMEOUT 600)
