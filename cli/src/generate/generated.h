// Generated: files derived from the tables of flags, so that they cannot become outdated: manual
// pages, shell completion and the option lists of the README.
//
//   fathom --generate bash share/bash-completion/completions/fathom
//   fathom --generate man-dups share/man/man1/fathom-dups.1
//
// The build calls it; it is not useful to users, and the help does not mention it.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// Takes the arguments after `fathom --generate`: what to generate (bash, zsh, fish, man,
// man-COMMAND or readme-COMMAND), and the file to write (default: standard output). Returns the
// exit code. Throws UsageError.
int generate_command(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
