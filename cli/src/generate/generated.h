// Generated: the files about the command's flags that are no program: manual page, what shells
// complete, the README's list. All are made from the table of flags, so that none can lie.
//
//   fathom --generate bash share/bash-completion/completions/fathom
//   fathom --generate man-dups share/man/man1/fathom-dups.1
//
// The build calls it; for people it is of no use, and help does not name it.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

// What follows `fathom --generate`: what (bash, zsh or fish; man-COMMAND or readme-COMMAND, of
// which -scan may be left out), and the file to write; without one it is standard output. Returns
// the exit code. Throws UsageError.
int generate_command(const std::vector<std::string>& arguments, std::string_view version);

}  // namespace fathom::cli
