# Registers a test that builds the examples against the installed package and runs them: see run-examples.cmake.

add_test(NAME examples
  COMMAND "${CMAKE_COMMAND}"
    "-Dfathom_build=${PROJECT_BINARY_DIR}"
    "-Dexamples=${PROJECT_SOURCE_DIR}/examples"
    "-Dconfig=$<CONFIG>"
    "-Dgenerator=${CMAKE_GENERATOR}"
    "-Dcompiler=${CMAKE_CXX_COMPILER}"
    -P "${PROJECT_SOURCE_DIR}/cmake/run-examples.cmake")
# A sanitizer build would not test more, and users of its package would have to be instrumented too.
set_tests_properties(examples PROPERTIES LABELS no-sanitizer TIMEOUT 600)
