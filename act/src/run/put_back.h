// put_back: undoes a move after which something was not as expected.

#pragma once

#include <string>

#include "os/mutating_ops.h"
#include "run/verdict.h"

namespace fathom::act {

// Moves a staged file back to its name. Returns the given verdict if that succeeded; if not, one
// that also says where the file is, which is beside its name unless `where` says otherwise.
[[nodiscard]] Verdict put_back(const MutatingOps& ops, const Location& staged,
                               const Location& location, Verdict verdict, std::string where = {});

}  // namespace fathom::act
