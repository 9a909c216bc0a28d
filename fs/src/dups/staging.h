// Staging: removes a file only after it was moved to a name that nobody else knows and was checked
// there.
//
// Between the last check of a name and the call that removes it, another program may put a
// different file there. Here the file is moved first, recognized as a different one, and moved
// back. The file that is removed is always the one that was checked.

#pragma once

#include <optional>

#include "dups/act_context.h"

namespace fathom::fs {

// Moves the victim to its temporary name. Returns a verdict if the move failed; nothing was changed
// then.
[[nodiscard]] std::optional<Verdict> stage_for_removal(const ActContext& context,
                                                       const Location& staged);

// Ends a removal or a replacement: removes the staged file if the kept file is in place, and moves
// it back otherwise.
[[nodiscard]] Verdict remove_staged(const ActContext& context, const Location& staged);

// Moves a staged file back to its name. Returns the given verdict if that succeeded.
[[nodiscard]] Verdict put_back(const MutatingOps& ops, const Location& staged,
                               const Location& location, Verdict verdict);

}  // namespace fathom::fs
