// ApplyView: the output of a run that applies or undoes a plan.

#pragma once

#include "fathom/fs/dup_apply.h"
#include "fathom/fs/dup_plan.h"

namespace fathom::cli {

class ApplyView {
 public:
  ApplyView() = default;
  ApplyView(const ApplyView&) = delete;
  ApplyView& operator=(const ApplyView&) = delete;
  virtual ~ApplyView() = default;

  virtual void act(const fs::DupPlan& plan, const fs::Act& act) = 0;
  virtual void undone(const fs::Undone& undone) = 0;

  // Writes the summary. Call it once, at the end.
  virtual void sum(const fs::Applied& applied, bool executed) = 0;

  [[nodiscard]] virtual bool has_said_something() const = 0;
};

}  // namespace fathom::cli
