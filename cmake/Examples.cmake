# Registers the test that the examples build against the installed package, and run: see run-examples.cmake.

add_test(NAME examples
  COMMAND "${CMAKE_COMMAND}"
    "-Dfathom_build=${PROJECT_BINARY_DIR}"
    "-Dexamples=${PROJECT_SOURCE_DIR}/examples"
    "-Dconfig=$<CONFIG>"
    "-Dgenerator=${CMAKE_GENERATOR}"
    "-Dcompiler=${CMAKE_CXX_COMPILER}"
    -P "${PROJECT_SOURCE_DIR}/cmake/run-examples.cmake")
# The package of a sanitizer build would say no more, and its users would have to be instrumented too.
set_tests_properties(examples PROPERTIES LABELS no-sanitizer TIMEOUT 600)
