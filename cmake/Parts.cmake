# How a part (base, rt, fs, ...) declares its library and its tests.

include(GNUInstallDirs)

# fathom_sources(VARIABLE [EXCEPT file...])
#
# Sets VARIABLE to every .cc file below the folder's src/. The next build finds new files.
function(fathom_sources variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCEPT")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" src/*.cc)
  list(REMOVE_ITEM sources ${arg_EXCEPT})
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# fathom_unity(TARGET MOST [SEPARATE file...])
#
# If CMAKE_UNITY_BUILD is on, as in all presets, the compiler reads up to MOST sources of a folder together, because most
# of its time goes into the headers that they share. Names in unnamed namespaces must therefore be unique within a
# folder of a library and within a test program. SEPARATE lists files that are always compiled alone.
function(fathom_unity target most)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SEPARATE")
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${arg_SEPARATE})
  set(members 0)
  set(folder_before "")
  foreach(source ${sources})
    get_filename_component(folder "${source}" DIRECTORY)
    if(NOT folder STREQUAL folder_before)
      set(members 0)
      set(folder_before "${folder}")
    endif()
    math(EXPR group "${members} / ${most}")
    math(EXPR members "${members} + 1")
    string(MAKE_C_IDENTIFIER "${folder}_${group}" name)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${name}")
  endforeach()
endfunction()

# fathom_library(NAME SOURCES file... [USES part...] [PRIVATE lib...] [SEPARATE file...])
#
# Defines the library fathom::NAME from the folder's include/ and the sources, installed with its headers. USES lists
# the parts that it depends on; SEPARATE as in fathom_unity().
function(fathom_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;PRIVATE;SEPARATE")
  set(target fathom_${name})
  set(uses ${arg_USES})
  list(TRANSFORM uses PREPEND "fathom::")
  add_library(${target} STATIC ${arg_SOURCES})
  fathom_unity(${target} 12 SEPARATE ${arg_SEPARATE})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:fathom_flags> ${arg_PRIVATE})
  if(FATHOM_FUZZ)
    # libFuzzer follows the paths of the product, not those of tests: their code would be half as large again.
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  fathom_precompile_headers(${target} product)
  # See fathom_test(). The library is not an argument of -Wl, which Zig's compiler does not understand.
  set(whole "SHELL:-Wl,--whole-archive \"$<TARGET_FILE:${target}>\" -Wl,--no-whole-archive")
  target_link_options(${target} INTERFACE
    "$<BUILD_INTERFACE:$<$<BOOL:$<TARGET_PROPERTY:FATHOM_WHOLE_LIBRARIES>>:${whole}>>")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  add_library(fathom::${name} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${uses} Threads::Threads)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME fathom_${name})
  add_dependencies(product ${target})
  install(TARGETS ${target} EXPORT fathom ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# fathom_link(PART LIBRARY HEADER PACKAGE [other names of the library...])
#
# Links a part with a library of the system, which Debian's PACKAGE contains. Programs contain it where possible, because
# each shared library slows down every start, unless FATHOM_SHARED_LIBRARIES is on. The Python module does not: some of
# these archives cannot be part of a shared object.
function(fathom_link part library header package)
  find_path(${library}_HEADER ${header})
  find_library(${library}_ARCHIVE NAMES lib${library}.a ${library} ${ARGN})
  find_library(${library}_SHARED NAMES ${library} ${ARGN})
  if(NOT ${library}_HEADER OR NOT ${library}_ARCHIVE)
    message(FATAL_ERROR "The library ${library} is missing: install ${package}, or the package that contains it here")
  endif()
  set(is_shared $<OR:$<BOOL:${FATHOM_SHARED_LIBRARIES}>,$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>>)
  target_include_directories(fathom_${part} SYSTEM PRIVATE "${${library}_HEADER}")
  target_link_libraries(fathom_${part} PRIVATE
    $<BUILD_INTERFACE:$<IF:${is_shared},${${library}_SHARED},${${library}_ARCHIVE}>> $<INSTALL_INTERFACE:${library}>)
endfunction()

# fathom_cold(TARGET)
#
# In builds with sanitizers, compiles the target without optimization: that takes half of the time, and programs spend
# little of theirs in its code.
function(fathom_cold target)
  if(FATHOM_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# fathom_test_objects(NAME SOURCES file... [USES lib...])
#
# Compiles tests that several programs share: each program lists NAME in its USES.
function(fathom_test_objects name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  fathom_compile_tests(${name} USES ${arg_USES})
endfunction()

# fathom_compile_tests(TARGET [USES lib...] [SEPARATE file...])
#
# The compile options of all tests. Tests are not optimized, which saves more time than it costs, except in folders for
# which FATHOM_OPTIMIZE_TESTS is ON: there, much of the code under test is in headers, many threads must meet in little
# time, or inlining matters. With AddressSanitizer these are not optimized either, because its code is large. GCC gives
# some warnings only with optimization: not for the other tests.
function(fathom_compile_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;SEPARATE")
  find_package(GTest REQUIRED)  # its targets are visible only in this folder and below
  fathom_unity(${target} 12 SEPARATE ${arg_SEPARATE})
  target_link_libraries(${target} PUBLIC fathom_flags ${arg_USES} GTest::gtest GTest::gtest_main)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # the same for programs and objects
  set(level -O0)
  if(FATHOM_OPTIMIZE_TESTS AND NOT FATHOM_SANITIZE MATCHES "undefined")
    set(level -O1)
  endif()
  target_compile_options(${target} PRIVATE ${level} -g1)
  fathom_precompile_headers(${target} tests)
endfunction()

# Clang stores the names of its inputs in a precompiled header, and reads these files when it uses the header. With the
# absolute names that CMake passes, checkouts could share neither the header nor anything compiled with it through ccache.
# With these options, ccache makes the names relative, which it does only after flags that it knows (-include, -iquote),
# and Clang stores them below /proc/self/cwd, which is the same name in every checkout.
set(FATHOM_SHARES_CLANG_PCH OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux")
  set(FATHOM_SHARES_CLANG_PCH ON)
  set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -Xclang -emit-pch -Xclang -include -Xclang cmake_pch.hxx)
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include <PCH_HEADER>)
endif()

# fathom_precompile_headers(TARGET product|tests)
#
# With CMAKE_UNITY_BUILD, precompiles common standard headers, once for all targets of the same kind and compile options:
# call it after the target's last compile option. Sources must still include these headers, because other builds do not
# precompile them. That of the product is for builds with sanitizers only, so that the release proves it.
function(fathom_precompile_headers target kind)
  if(NOT CMAKE_UNITY_BUILD OR (kind STREQUAL "product" AND NOT FATHOM_SANITIZE))
    return()
  endif()
  get_target_property(options ${target} COMPILE_OPTIONS)
  if(NOT options)
    set(options "")
  endif()
  string(MAKE_C_IDENTIFIER "fathom_headers_of_${kind}${options}" headers)
  if(NOT TARGET ${headers})
    set(empty "${PROJECT_BINARY_DIR}/${headers}.cc")
    file(CONFIGURE OUTPUT "${empty}" CONTENT "")
    add_library(${headers} OBJECT EXCLUDE_FROM_ALL "${empty}")
    target_link_libraries(${headers} PRIVATE fathom_flags)
    target_compile_options(${headers} PRIVATE ${options})
    target_precompile_headers(${headers} PRIVATE
      <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <mutex> <optional> <span> <string> <string_view>
      <unordered_map> <utility> <vector>)
    if(kind STREQUAL "tests")
      target_link_libraries(${headers} PRIVATE GTest::gtest)
      set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_precompile_headers(${headers} PRIVATE <gtest/gtest.h> <random> <set> <thread>)
    endif()
    if(FATHOM_SHARES_CLANG_PCH)
      target_compile_options(${headers} PRIVATE "-iquote${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${headers}.dir"
        "SHELL:-Xclang -working-directory -Xclang /proc/self/cwd -Xclang -fno-pch-timestamp")
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  # GCC 12 reports false positives for sums of strings if the standard library comes from a precompiled header. The
  # release of the product does not use one, so it keeps these warnings.
  set(false_positives -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow)
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:${false_positives}>")
endfunction()

# Tests keep their temporary files in memory. ON_DISK leaves them in /tmp, or in TMPDIR; programs with sanitizers, which
# take long anyway, ignore ON_DISK of fathom_test().
set(FATHOM_IN_MEMORY "${PROJECT_SOURCE_DIR}/testing/in-memory")

# fathom_test(NAME SOURCES file... [USES lib...] [LABELS label...] [TIMEOUT seconds] [SEPARATE file...] [ONE_THREAD]
#             [REPLACES] [ON_DISK])
#
# Defines the test program NAME (GoogleTest) and registers it with ctest as one test. Label it no-sanitizer if a
# sanitizer does not test more, or cannot run it. SEPARATE as in fathom_unity().
#
# ONE_THREAD says that no test of the program starts a thread, so that ThreadSanitizer would not test more. In builds
# without sanitizers, a test that starts one fails.
#
# The linker takes an inline function from the first object that contains it. Tests are compiled with less optimization
# than the product, so programs are linked with all of its objects first. With REPLACES they are not: the linker must
# take functions of a source of the program instead of those of the product, inline functions that a macro changes
# included.
function(fathom_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ONE_THREAD;REPLACES;ON_DISK" "TIMEOUT" "SOURCES;USES;LABELS;SEPARATE")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  add_executable(${name} ${arg_SOURCES})
  if(NOT arg_REPLACES)
    set_target_properties(${name} PROPERTIES FATHOM_WHOLE_LIBRARIES ON)
  endif()
  fathom_compile_tests(${name} USES ${arg_USES} SEPARATE ${arg_SEPARATE})
  target_link_options(${name} PRIVATE ${FATHOM_TEST_LINKER})
  if(arg_ONE_THREAD)
    list(APPEND arg_LABELS no-tsan)
    if(NOT FATHOM_SANITIZE)
      target_link_libraries(${name} PRIVATE fathom_one_thread)
    endif()
  endif()
  # What the preset does not run is not compiled.
  if((FATHOM_SANITIZE AND "no-sanitizer" IN_LIST arg_LABELS) OR
      (FATHOM_SANITIZE MATCHES "thread" AND "no-tsan" IN_LIST arg_LABELS))
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  set(launcher "${FATHOM_IN_MEMORY}")
  if(arg_ON_DISK AND NOT FATHOM_SANITIZE)
    set(launcher "")
  endif()
  add_test(NAME ${name} COMMAND ${launcher} $<TARGET_FILE:${name}> --gtest_brief=1)
  # The message with which needs_loopback.h of testing/ skips a whole program.
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}" SKIP_REGULAR_EXPRESSION "127.0.0.1 cannot be connected to")
endfunction()

# fathom_pytest(NAME FOLDER folder [EACH] [NEEDS module...] [LABELS label...] [ENVIRONMENT name=value...]
#               [ON_DISK test...])
#
# Registers the folder's Python tests with ctest as the test NAME, with a Python that has pytest and the modules. With
# EACH, every file is a test of its own, NAME_x for test_x.py, so that they run in parallel.
function(fathom_pytest name)
  if(CMAKE_CROSSCOMPILING)
    return()  # they would start programs that need an emulator
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "EACH" "FOLDER" "NEEDS;LABELS;ENVIRONMENT;ON_DISK")
  fathom_find_python(python pytest ${arg_NEEDS})
  if(NOT python)
    string(JOIN ", " modules pytest ${arg_NEEDS})
    message(FATAL_ERROR
      "The tests of ${name} need Python 3.11 or newer with ${modules}: scripts/setup test, or build with "
      "-DBUILD_TESTING=OFF")
  endif()
  set(places "${arg_FOLDER}")
  if(arg_EACH)
    file(GLOB places CONFIGURE_DEPENDS "${arg_FOLDER}/test_*.py")
  endif()
  set(on_disk ${arg_ON_DISK})
  foreach(place ${places})
    set(test "${name}")
    if(arg_EACH)
      get_filename_component(file "${place}" NAME_WE)
      string(REGEX REPLACE "^test" "${name}" test "${file}")
    endif()
    set(launcher "${FATHOM_IN_MEMORY}")
    if(test IN_LIST on_disk)
      list(REMOVE_ITEM on_disk "${test}")
      set(launcher "")
    endif()
    add_test(NAME ${test} COMMAND ${launcher} "${python}" -m pytest "${place}")
    set_tests_properties(${test} PROPERTIES
      LABELS "${arg_LABELS}" ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${arg_ENVIRONMENT}" TIMEOUT 900
      COST 60)  # seconds: long tests start first, so that none runs alone at the end
  endforeach()
  if(on_disk)
    message(FATAL_ERROR "fathom_pytest(${name}): ON_DISK names tests that do not exist: ${on_disk}")
  endif()
endfunction()

# fathom_find_python(VARIABLE module...): sets VARIABLE to a Python of at least version 3.11 that has all modules, or "".
function(fathom_find_python variable)
  string(JOIN ", " modules ${ARGN})
  set(${variable} "" PARENT_SCOPE)
  foreach(python /usr/bin/python3 python3)
    execute_process(
      COMMAND "${python}" -c "import sys; assert sys.version_info >= (3, 11); import ${modules}"
      RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(missing EQUAL 0)
      set(${variable} "${python}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
