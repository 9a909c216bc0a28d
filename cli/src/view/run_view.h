// RunView: the output of `fathom apply` and `fathom undo` for plans of files and directories.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fathom/act/apply.h"
#include "fathom/base/bytes.h"
#include "run/output.h"

namespace fathom::cli {

// How a run is shown.
struct RunStyle {
  base::Units units = base::Units::iec;
  bool unicode = true;
  bool executes = false;  // it is not a dry run
  std::string journal;    // for the hint about undoing
};

class RunView {
 public:
  RunView() = default;
  RunView(const RunView&) = delete;
  RunView& operator=(const RunView&) = delete;
  virtual ~RunView() = default;

  virtual void item(const act::ItemResult& item) = 0;
  virtual void undone(const act::UndoneItem& item) = 0;

  // Each writes the summary. Call one of them, once, at the end.
  virtual void sum(const act::Plan& plan, const act::PlanApplied& applied) = 0;
  virtual void sum(const act::RunUndone& undone) = 0;

  [[nodiscard]] bool has_said_something() const { return begun_; }

 protected:
  bool begun_ = false;
};

// A line for each item, and a summary. The output must outlive the view.
[[nodiscard]] std::unique_ptr<RunView> run_text(Output& output, RunStyle style);

// JSON with schema fathom.applied/1.
[[nodiscard]] std::unique_ptr<RunView> run_json(Output& output, const RunStyle& style);

}  // namespace fathom::cli
