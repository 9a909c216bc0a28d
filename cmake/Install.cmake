# The CMake package for find_package(fathom) that `make install` installs.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fathom")
install(EXPORT fathom NAMESPACE fathom:: FILE fathom-targets.cmake DESTINATION ${package_dir})
file(WRITE "${PROJECT_BINARY_DIR}/fathom-config.cmake" [[
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/fathom-targets.cmake")
]])
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fathom-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/fathom-config.cmake" "${PROJECT_BINARY_DIR}/fathom-config-version.cmake"
  DESTINATION ${package_dir})

# The schemas of the JSON output.
file(GLOB schemas CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.schema.json")
install(FILES "${PROJECT_SOURCE_DIR}/docs/openapi.json" ${schemas} DESTINATION "${CMAKE_INSTALL_DATADIR}/fathom")
