// The file `directorysizes` of a trash: the sizes of the directories in it, for file managers.
//
// As https://specifications.freedesktop.org/trash-spec/1.0/ says, it is replaced by a whole new
// file. Lines that another program adds at the same moment may be lost: such a program measures the
// directory again. So errors are ignored, and nothing is done in a trash that others can enter, or
// with a file of 64 KiB or more.

#pragma once

#include <cstdint>
#include <string>

#include "os/mutating_ops.h"

namespace fathom::act {

// Adds the line of a directory in files/, which has a description in info/. `temporary`: a name
// that only this item of this run uses; what a killed run has left there is removed.
void add_directory_size(const std::string& trash, const std::string& name, std::uint64_t bytes,
                        const std::string& temporary, const MutatingOps& ops);

// Removes its line, if there is one.
void forget_directory_size(const std::string& trash, const std::string& name,
                           const std::string& temporary, const MutatingOps& ops);

}  // namespace fathom::act
