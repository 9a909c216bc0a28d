# The options of a build, and the flags that every target of this project shares.

option(FATHOM_WERROR "Treat the warnings of GCC 12 as errors" OFF)
option(BUILD_TESTING "Build the tests" OFF)
option(FATHOM_BUILD_BENCH "Build the benchmarks (needs Google Benchmark)" OFF)
option(FATHOM_PYTHON "Build the Python package, for Python_EXECUTABLE" OFF)
option(FATHOM_SHARED_LIBRARIES "Link programs with the shared libraries of the system, instead of including them" OFF)
option(FATHOM_PROFILE_LOCKS "Make --thread-stats report which locks fs waited for" OFF)
option(FATHOM_STATIC "Link the command without shared libraries, so that one file runs on any Linux" OFF)
option(FATHOM_FUZZ
  "Instrument the libraries for libFuzzer, and link the fuzz targets with it (needs Clang and FATHOM_SANITIZE)" OFF)
set(FATHOM_SOURCE_ROOT "${PROJECT_SOURCE_DIR}/" CACHE STRING
  "The folder of the sources in debug information, with a slash; differs if -ffile-prefix-map renames it")
set(FATHOM_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize= (address,undefined or thread)")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Share the cache between checkouts: paths are hashed relative to the sources. To use precompiled headers, ccache must be
  # told that no source depends on macros defined before them or on the time of day. It ignores the path of the exceptions
  # for sanitizers, but still hashes that file.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros "CCACHE_IGNOREOPTIONS=-fsanitize-blacklist=*" "${CCACHE}")
endif()

find_program(FATHOM_LLD ld.lld)
# Takes a third of the time for the many programs of the tests. The command of a release uses the linker of the compiler,
# so that it does not depend on what else is installed. So do tests with GCC, which writes unwind information for parts of
# functions without any code: lld 14 keeps that instead of the information for what has the same address, and an exception
# from there ends the program.
set(FATHOM_TEST_LINKER "")
if(FATHOM_LLD AND NOT CMAKE_CROSSCOMPILING AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(FATHOM_TEST_LINKER -fuse-ld=lld)
endif()
if(FATHOM_SANITIZE)
  string(APPEND CMAKE_EXE_LINKER_FLAGS " ${FATHOM_TEST_LINKER}")  # the command is only tested, too
endif()

# fathom_flags: warnings and sanitizers, for the targets of this project only.
add_library(fathom_flags INTERFACE)
target_compile_options(fathom_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual>
  # As GCC does: no sign conversions in -Wconversion of C++; deallocations with a size.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion;-fsized-deallocation>)
# Names of source files do not depend on the folder of the sources, so that every checkout compiles the same object.
target_compile_options(fathom_flags INTERFACE "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
# ccache makes them relative to the build; a release must be the same bytes with and without it.
file(RELATIVE_PATH to_sources "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
target_compile_options(fathom_flags INTERFACE "$<$<CONFIG:Release>:-fmacro-prefix-map=${to_sources}=>")
# Every change is compiled with GCC 12, that of Debian 12. Other compilers give other warnings, some of them false, which
# must not keep anyone from building.
if(FATHOM_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  target_compile_options(fathom_flags INTERFACE -Werror)
endif()
if(FATHOM_SANITIZE)
  target_compile_options(fathom_flags INTERFACE
    "-fsanitize=${FATHOM_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer
    # Takes a fifth less time to compile optimized code; the tests take about as long.
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-mllvm -fast-isel>
    # Known to ccache by this older name.
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsanitize-blacklist=${PROJECT_SOURCE_DIR}/cmake/sanitizer-exceptions.txt>)
  # Programs at fixed addresses start in two thirds of the time: the command has 700,000 pointers to relocate otherwise.
  target_link_options(fathom_flags INTERFACE "-fsanitize=${FATHOM_SANITIZE}"
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  # GCC defines these itself; the sources and the libraries know no other name.
  foreach(sanitizer address thread)
    if(FATHOM_SANITIZE MATCHES "${sanitizer}")
      string(TOUPPER "${sanitizer}" name)
      target_compile_definitions(fathom_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:__SANITIZE_${name}__=1>)
    endif()
  endforeach()
  if(FATHOM_SANITIZE MATCHES "thread")
    # -Wtsan warns that TSan does not model fences. The headers of rt say where that matters.
    target_compile_options(fathom_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-tsan>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # clang++ links its own operator new, and programs with an operator new of their own then do not link. With the
      # driver of C it is left out: that of libstdc++ calls malloc(), which ThreadSanitizer intercepts.
      target_link_options(fathom_flags INTERFACE --driver-mode=gcc)
      target_link_libraries(fathom_flags INTERFACE stdc++ m)
    endif()
  endif()
endif()
