// AppliedJson: one line per act, then the totals; see applied_json.h.

#include "fathom/act/applied_json.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace fathom::act {

namespace {

constexpr std::string_view kAppliedSchema = "fathom.dups.applied/1";

// Like to_string(), but as a single word of the schema.
std::string_view result_of(Outcome outcome) {
  static constexpr std::string_view kResults[] = {
      "done", "would_be_done", "done_before", "needless", "new_master", "refused", "failed"};
  return kResults[static_cast<std::size_t>(outcome)];
}

// Writes the reason, for results that have one.
void write_reason(fs::JsonWriter& json, const std::string& why, int code) {
  if (!why.empty()) json.bytes("reason", why);
  if (code != 0) json.number("errno", code);
}

}  // namespace

AppliedJson::AppliedJson(fs::Sink sink, bool dry_run)
    : sink_(std::move(sink)), json_(sink_), dry_run_(dry_run) {}

void AppliedJson::begin() {
  if (std::exchange(has_begun_, true)) return;
  json_.begin_object();
  json_.string("schema", kAppliedSchema);
  json_.flag("dry_run", dry_run_);
  json_.begin_array("acts");
}

void AppliedJson::begin_act() {
  begin();
  has_acts_ = true;
  json_.break_line();
  json_.begin_object();
}

void AppliedJson::act(const DupPlan& plan, const Act& act) {
  begin_act();
  json_.bytes("path", act.path);
  json_.bytes("kept", plan.path_of(*act.kept));
  json_.string("action", to_string(plan.action));
  json_.string("result", result_of(act.outcome));
  write_reason(json_, act.why, act.code);
  json_.number("size", act.file->identity.size);
  json_.number("freed_bytes", act.freed);
  json_.number("held_bytes", act.held);
  json_.end_object();
}

void AppliedJson::undone(const Undone& file) {
  begin_act();
  json_.bytes("path", file.path);
  json_.string("action", "undo");
  json_.string("result", result_of(file.outcome));
  write_reason(json_, file.why, file.code);
  json_.end_object();
}

void AppliedJson::finish(const Applied& applied) {
  begin();
  if (has_acts_) json_.break_line();
  json_.end_array();
  json_.begin_object("totals");
  json_.number("done", applied.done);
  json_.number("done_before", applied.done_before);
  json_.number("needless", applied.already_shared);
  json_.number("new_masters", applied.promoted_to_kept);
  json_.number("refused", applied.refused);
  json_.number("failed", applied.failed);
  json_.number("freed_bytes", applied.freed);
  json_.number("held_bytes", applied.held);
  json_.end_object();
  json_.flag("complete", applied.complete());
  if (applied.cancelled) json_.flag("interrupted", true);
  json_.end_object();
  json_.end_line();
  json_.flush();
}

}  // namespace fathom::act
