// ApplyJson: the acts of a run as JSON, with schema fathom.dups.applied/1.

#pragma once

#include "dups/apply_view.h"
#include "fathom/fs/applied_json.h"
#include "output.h"

namespace fathom::cli {

class ApplyJson : public ApplyView {
 public:
  // The output must outlive it.
  ApplyJson(Output& output, bool dry_run)
      : json_([&output](std::string_view block) { return output.write(block); }, dry_run) {}

  void act(const fs::DupPlan& plan, const fs::Act& act) override { json_.act(plan, act); }
  void undone(const fs::Undone& undone) override { json_.undone(undone); }
  void sum(const fs::Applied& applied, bool /*executed*/) override { json_.finish(applied); }
  [[nodiscard]] bool has_said_something() const override { return json_.has_begun(); }

 private:
  fs::AppliedJson json_;
};

}  // namespace fathom::cli
