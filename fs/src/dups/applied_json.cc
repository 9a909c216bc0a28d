// AppliedJson: one line per act, then the totals; see applied_json.h.

#include "fathom/fs/applied_json.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "dups/json_line.h"

namespace fathom::fs {

namespace {

constexpr std::string_view kAppliedSchema = "fathom.dups.applied/1";

// Like to_string(), but as a single word of the schema.
std::string_view result_of(Outcome outcome) {
  static constexpr std::string_view kResults[] = {
      "done", "would_be_done", "done_before", "needless", "new_master", "refused", "failed"};
  return kResults[static_cast<std::size_t>(outcome)];
}

// Writes the reason, for results that have one.
void write_reason(JsonLine& line, const std::string& why, int code) {
  if (!why.empty()) line.bytes("reason", why);
  if (code != 0) line.signed_number("errno", code);
}

// The line's object, without the newline.
std::string object_of(const JsonLine& line) {
  std::string text = line.text();
  text.pop_back();
  return text;
}

}  // namespace

AppliedJson::AppliedJson(Sink sink, bool dry_run)
    : sink_(std::move(sink)), blocks_(sink_), dry_run_(dry_run) {}

void AppliedJson::begin() {
  if (has_begun_) return;
  has_begun_ = true;
  std::string head =
      object_of(JsonLine().bytes("schema", kAppliedSchema).flag("dry_run", dry_run_));
  head.pop_back();  // the object continues
  blocks_.put(head + ",\"acts\":[");
}

void AppliedJson::put(const std::string& object) {
  begin();
  blocks_.put(has_acts_ ? ",\n" : "\n");
  has_acts_ = true;
  blocks_.put(object);
}

void AppliedJson::act(const DupPlan& plan, const Act& act) {
  JsonLine line;
  line.bytes("path", act.path)
      .bytes("kept", plan.path_of(*act.kept))
      .bytes("action", to_string(plan.action))
      .bytes("result", result_of(act.outcome));
  write_reason(line, act.why, act.code);
  line.number("size", act.file->identity.size).number("freed_bytes", act.freed);
  put(object_of(line));
}

void AppliedJson::undone(const Undone& file) {
  JsonLine line;
  line.bytes("path", file.path).bytes("action", "undo").bytes("result", result_of(file.outcome));
  write_reason(line, file.why, file.code);
  put(object_of(line));
}

void AppliedJson::finish(const Applied& applied) {
  begin();
  const std::string totals = object_of(JsonLine()
                                           .number("done", applied.done)
                                           .number("done_before", applied.done_before)
                                           .number("needless", applied.already_shared)
                                           .number("new_masters", applied.promoted_to_kept)
                                           .number("refused", applied.refused)
                                           .number("failed", applied.failed)
                                           .number("freed_bytes", applied.freed));
  JsonLine end;
  end.flag("complete", applied.complete());
  if (applied.cancelled) end.flag("interrupted", true);
  const std::string rest = object_of(end);
  blocks_.put((has_acts_ ? "\n],\"totals\":" : "],\"totals\":") + totals + ',' + rest.substr(1) +
              '\n');
  blocks_.flush();
}

}  // namespace fathom::fs
