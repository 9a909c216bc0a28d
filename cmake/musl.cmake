# The compiler and the libraries of packaging/prepare-musl: static programs with musl and libc++, which run here.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
get_filename_component(home "${CMAKE_CURRENT_LIST_DIR}/../build/musl-tools" ABSOLUTE)
set(CMAKE_C_COMPILER "${home}/bin/musl-cc")
set(CMAKE_CXX_COMPILER "${home}/bin/musl-c++")
# Some headers are included without being searched for.
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES "${home}/include")
# No library of this machine, which has glibc.
set(CMAKE_FIND_ROOT_PATH "${home}")
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
