// Removes a file only after it was moved to a name that nobody else knows and looked at there.
//
// Between the last look at a name and the call that removes it somebody may put another file there;
// here that one is moved, seen to be another, and moved back. The file that is removed is always
// the one that was looked at.

#pragma once

#include <optional>

#include "dups/act_context.h"

namespace fathom::fs {

// Moves the victim aside. A verdict if it is not there now; everything is as it was then.
[[nodiscard]] std::optional<Verdict> stage_for_removal(const ActContext& context,
                                                       const Location& staged);

// The end of a removal or a replacement: removes what was set aside, if the kept file is in place.
// Else it is moved back.
[[nodiscard]] Verdict remove_staged(const ActContext& context, const Location& staged);

// Moves what was set aside back to its name. The verdict is the given one if that worked.
[[nodiscard]] Verdict put_back(const MutatingOps& ops, const Location& staged,
                               const Location& location, Verdict verdict);

}  // namespace fathom::fs
