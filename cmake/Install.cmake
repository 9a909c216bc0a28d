# The CMake package for find_package(fathom) that `make install` installs.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fathom")
install(EXPORT fathom NAMESPACE fathom:: FILE fathom-targets.cmake DESTINATION ${package_dir})
file(WRITE "${PROJECT_BINARY_DIR}/fathom-config.cmake" [[
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/fathom-targets.cmake")

# A component is a library: rt is fathom::rt.
foreach(component IN LISTS fathom_FIND_COMPONENTS)
  if(TARGET fathom::${component})
    set(fathom_${component}_FOUND TRUE)
  elseif(fathom_FIND_REQUIRED_${component})
    set(fathom_FOUND FALSE)
    set(fathom_NOT_FOUND_MESSAGE "Fathom has no component ${component}.")
  endif()
endforeach()

# Without it, CMake would not link the runtime of C++.
if(NOT CMAKE_CXX_COMPILER_LOADED)
  set(fathom_FOUND FALSE)
  set(fathom_NOT_FOUND_MESSAGE "Fathom needs the language CXX, also in a project in C: project(NAME C CXX).")
endif()
]])
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fathom-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/fathom-config.cmake" "${PROJECT_BINARY_DIR}/fathom-config-version.cmake"
  DESTINATION ${package_dir})

# The schemas of the JSON output.
file(GLOB schemas CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.schema.json")
install(FILES "${PROJECT_SOURCE_DIR}/docs/openapi.json" ${schemas} DESTINATION "${CMAKE_INSTALL_DATADIR}/fathom")
