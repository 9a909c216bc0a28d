# The page of `fathom serve`: web/ui/build builds it with Node, and the source file FATHOM_WEB_PAGE embeds it.
#
# Without Node or its packages, the source file contains no page, and the build continues. The next build tries again:
# the output of the command is therefore the stamp, which exists only if there is a page, and not the source file.

set(FATHOM_WEB_PAGE "${CMAKE_CURRENT_BINARY_DIR}/page_files.cc")
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/ui/src/*")
file(GLOB page_settings CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_SOURCE_DIR}/ui/*.json" "${CMAKE_CURRENT_SOURCE_DIR}/ui/*.mjs" "${CMAKE_CURRENT_SOURCE_DIR}/ui/.npmrc"
  "${CMAKE_CURRENT_SOURCE_DIR}/../docs/openapi.json")
add_custom_command(
  OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/page.stamp"
  BYPRODUCTS "${FATHOM_WEB_PAGE}"
  COMMAND "${CMAKE_COMMAND}"
    "-DUI=${CMAKE_CURRENT_SOURCE_DIR}/ui" "-DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/page"
    "-DSOURCE=${FATHOM_WEB_PAGE}" "-DSTAMP=${CMAKE_CURRENT_BINARY_DIR}/page.stamp"
    -P "${CMAKE_CURRENT_SOURCE_DIR}/embed_page.cmake"
  DEPENDS ${page_sources} ${page_settings} "${CMAKE_CURRENT_SOURCE_DIR}/ui/build" "${CMAKE_CURRENT_SOURCE_DIR}/embed_page.cmake"
  COMMENT "Building the page of fathom serve"
  VERBATIM)
add_custom_target(fathom_web_page DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/page.stamp")
