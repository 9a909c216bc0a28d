// ApplyText: the acts of a run as text: a line for each act, and a summary.

#pragma once

#include <string_view>

#include "dups/apply_view.h"
#include "fathom/base/bytes.h"
#include "fathom/fs/dup_apply.h"
#include "fathom/fs/dup_plan.h"
#include "output.h"

namespace fathom::cli {

class ApplyText : public ApplyView {
 public:
  // The output must outlive it.
  ApplyText(Output& output, base::Units units, bool unicode);

  void act(const fs::DupPlan& plan, const fs::Act& act) override;
  void undone(const fs::Undone& undone) override;
  void sum(const fs::Applied& applied, bool executed) override;
  [[nodiscard]] bool has_said_something() const override { return begun_; }

 private:
  void line(std::string_view word, std::string_view path, std::string_view note);

  Output& output_;
  const base::Units units_;
  const bool unicode_;
  bool begun_ = false;
  std::string_view done_ = "changed";  // what the run does to a file, for the sum
};

}  // namespace fathom::cli
