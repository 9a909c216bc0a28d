// ApplyText: what is printed while a plan is carried out: a line for each act, and what it comes
// to.

#pragma once

#include <string_view>

#include "fathom/base/bytes.h"
#include "fathom/fs/dup_apply.h"
#include "fathom/fs/dup_plan.h"
#include "output.h"

namespace fathom::cli {

class ApplyText {
 public:
  // The output must outlive it.
  ApplyText(Output& output, base::Units units, bool unicode);

  void act(fs::DupAction action, const fs::Act& act);
  void undone(const fs::Undone& undone);

  // The last line.
  void sum(const fs::Applied& applied, bool executed);

  [[nodiscard]] bool has_said_something() const { return begun_; }

 private:
  void line(std::string_view word, std::string_view path, std::string_view note);

  Output& output_;
  const base::Units units_;
  const bool unicode_;
  bool begun_ = false;
};

}  // namespace fathom::cli
