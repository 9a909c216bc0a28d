# The manual pages and the completions of shells, which the command generates from its tables of flags.

set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")

# Generates `kind` into a file of that name, and installs the file into the folder.
function(fathom_generated kind file folder)
  add_custom_command(OUTPUT "${generated}/${kind}/${file}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${generated}/${kind}"
    COMMAND fathom_cli --generate ${kind} "${generated}/${kind}/${file}"
    DEPENDS fathom_cli VERBATIM)
  set_property(DIRECTORY APPEND PROPERTY FATHOM_GENERATED "${generated}/${kind}/${file}")
  install(FILES "${generated}/${kind}/${file}" DESTINATION "${folder}")
endfunction()

fathom_generated(man fathom.1 "${CMAKE_INSTALL_MANDIR}/man1")
foreach(command scan browse dups find clean serve snapshot log diff growth store apply undo threads)
  fathom_generated(man-${command} fathom-${command}.1 "${CMAKE_INSTALL_MANDIR}/man1")
endforeach()
fathom_generated(bash fathom "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
fathom_generated(zsh _fathom "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
fathom_generated(fish fathom.fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

get_property(files DIRECTORY PROPERTY FATHOM_GENERATED)
add_custom_target(fathom_generated ALL DEPENDS ${files})
add_dependencies(product fathom_cli fathom_generated)
