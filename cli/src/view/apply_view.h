// ApplyView: the output of a run that applies or undoes a plan.

#pragma once

#include <string>
#include <string_view>

#include "fathom/act/applied_json.h"
#include "fathom/act/dup_apply.h"
#include "fathom/act/dup_plan.h"
#include "fathom/base/bytes.h"
#include "run/output.h"

namespace fathom::cli {

class ApplyView {
 public:
  ApplyView() = default;
  ApplyView(const ApplyView&) = delete;
  ApplyView& operator=(const ApplyView&) = delete;
  virtual ~ApplyView() = default;

  virtual void act(const act::DupPlan& plan, const act::Act& act) = 0;
  virtual void undone(const act::Undone& undone) = 0;

  // Writes the summary. Call it once, at the end.
  virtual void sum(const act::Applied& applied) = 0;

  [[nodiscard]] virtual bool has_said_something() const = 0;
};

// As text: a line for each act, and a summary.
class ApplyText : public ApplyView {
 public:
  // The output must outlive it. executes: it is not a dry run.
  ApplyText(Output& output, base::Units units, bool unicode, bool executes, bool undoes);

  void act(const act::DupPlan& plan, const act::Act& act) override;
  void undone(const act::Undone& undone) override;
  void sum(const act::Applied& applied) override;
  [[nodiscard]] bool has_said_something() const override { return begun_; }

 private:
  void line(std::string_view word, std::string_view path, std::string_view note);
  [[nodiscard]] std::string freed_text(const act::Applied& applied) const;

  Output& output_;
  const base::Units units_;
  const bool unicode_;
  const bool executes_;
  const bool undoes_;
  bool begun_ = false;
  std::string_view done_ = "changed";  // what the run does to a file, for the sum
  bool frees_ = false;                 // acts may free something; moving files back does not
};

// As JSON, with schema fathom.dups.applied/1.
class ApplyJson : public ApplyView {
 public:
  // The output must outlive it.
  ApplyJson(Output& output, bool dry_run) : json_(output.sink(), dry_run) {}

  void act(const act::DupPlan& plan, const act::Act& act) override { json_.act(plan, act); }
  void undone(const act::Undone& undone) override { json_.undone(undone); }
  void sum(const act::Applied& applied) override { json_.finish(applied); }
  [[nodiscard]] bool has_said_something() const override { return json_.has_begun(); }

 private:
  act::AppliedJson json_;
};

}  // namespace fathom::cli
