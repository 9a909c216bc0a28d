// kept plans: the plans that are carried out without the user naming a file, by `fathom browse` and
// `fathom serve`. They and their journals are in the user's state directory, so that `fathom undo`
// can take back what an earlier session has done. If there is no room, they are in a private
// directory in /dev/shm, which does not survive a restart of the machine.

#pragma once

#include <string>

#include "fathom/act/plan.h"

namespace fathom::cli {

// Saves the plan in a new file, and returns the path of its journal, which does not exist yet.
// Throws base::Error if the user has no directory for that or there is no room anywhere, and
// base::SystemError.
[[nodiscard]] std::string keep_plan(const act::Plan& plan);

// Saves the plan in that file. Throws base::SystemError, with EEXIST if it exists.
void save_plan(const act::Plan& plan, const std::string& file);

}  // namespace fathom::cli
