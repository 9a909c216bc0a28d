# How a part (base, rt, fs, ...) declares its library and its tests.

include(GNUInstallDirs)

# fathom_library(NAME [SOURCES file...] [USES part...] [PRIVATE lib...])
#
# Makes the library fathom::NAME of the folder's include/ and the sources, installed with its headers. USES names the
# parts that it stands on. Without sources it is header-only.
function(fathom_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;PRIVATE")
  set(target fathom_${name})
  set(uses ${arg_USES})
  list(TRANSFORM uses PREPEND "fathom::")
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:fathom_flags> ${arg_PRIVATE})
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(fathom::${name} ALIAS ${target})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${uses} Threads::Threads)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME fathom_${name})
  install(TARGETS ${target} EXPORT fathom ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# fathom_test(NAME SOURCES file... [USES lib...] [LABELS label...] [TIMEOUT seconds])
#
# Makes the test program NAME (GoogleTest) and registers it with ctest as one test. Label it no-sanitizer when it says
# nothing more under a sanitizer, or cannot run there.
function(fathom_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;USES;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  find_package(GTest REQUIRED)  # its targets are known only in the folder that asks for them, and below
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE fathom_flags ${arg_USES} GTest::gtest GTest::gtest_main)
  if(FATHOM_SANITIZE MATCHES "undefined")
    target_compile_options(${name} PRIVATE -O0)  # optimizing GoogleTest's macros takes twice the time, then
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  # What needs_loopback.h of testing/ says where it skips a program as a whole.
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}" SKIP_REGULAR_EXPRESSION "127.0.0.1 cannot be connected to")
endfunction()
