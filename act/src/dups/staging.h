// Staging: removes a file only after it was moved to a name that nobody else knows and was checked
// there.
//
// Between the last check of a name and the call that removes it, another program may put a
// different file there. Here the file is moved first, recognized as a different one, and moved
// back. The file that is removed is always the one that was checked.

#pragma once

#include <optional>

#include "dups/act_context.h"
#include "run/put_back.h"

namespace fathom::act {

// Moves the victim to its temporary name. Returns a verdict if the move failed; nothing was changed
// then.
[[nodiscard]] std::optional<Verdict> stage_for_removal(const ActContext& context,
                                                       const Location& staged);

// Ends a removal or a replacement: removes the staged file if the kept file is in place, and moves
// it back otherwise.
[[nodiscard]] Verdict remove_staged(const ActContext& context, const Location& staged);

// Undoes an exchange, after which `name` refers to `link`, a file of ours, and what had the name
// before is at `left`. Another program may put a further file at `name` at any moment: the one that
// was put there last has the name in the end. Returns 0 if our file is at `left` again; -EBUSY if
// not, because another program has replaced it: what had the name before is still at `left`; or
// another -errno, if names could not be exchanged.
[[nodiscard]] int exchange_back(const MutatingOps& ops, const Location& left, const Location& name,
                                const fs::FileIdentity& link);

}  // namespace fathom::act
