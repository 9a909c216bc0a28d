// Questions: the texts of dialogs, as lines. The last one has the keys. And the answer to one of
// them. `undo` and `plan` are the key or the command that moves back and the one that shows the
// plan.

#pragma once

#include <string>
#include <vector>

#include "fathom/tui/apply_report.h"
#include "model/state.h"

namespace fathom::tui {

[[nodiscard]] std::vector<std::string> quit_question(const State& state);
[[nodiscard]] std::vector<std::string> apply_question(const State& state, const std::string& undo);
// Before everything in it is deleted for good.
[[nodiscard]] std::vector<std::string> remove_question(const State& state, const std::string& undo);
[[nodiscard]] std::vector<std::string> undo_question(const State& state);

// What applying has done, with what matters first.
[[nodiscard]] std::string applied_text(const State& state, const ApplyReport& report,
                                       const std::string& undo, const std::string& plan);
// The same for what was moved back.
[[nodiscard]] std::string undone_text(const UndoReport& report, const std::string& undo);
// The same for a plan that was to be written to the file.
[[nodiscard]] std::string written_text(const WriteReport& report, const std::string& file);

}  // namespace fathom::tui
