// AppliedJson: the result of each act of a plan, as JSON.
//
// Schema fathom.dups.applied/1: one object and a newline, with one line per act, written in blocks
// during the run. In a path that is not UTF-8, each invalid byte is written as U+FFFD; the original
// bytes are in a second key that ends in _b64.
//
//   act::AppliedJson json(sink, options.dry_run);
//   options.on_act = [&](const act::Act& act) { json.act(plan, act); };
//   json.finish(act::apply_plan(plan, options));

#pragma once

#include "fathom/act/dup_apply.h"
#include "fathom/act/dup_plan.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/sink.h"

namespace fathom::act {

class AppliedJson {
 public:
  AppliedJson(fs::Sink sink, bool dry_run);

  void act(const DupPlan& plan, const Act& act);
  void undone(const Undone& file);

  // Writes the totals and closes the object.
  void finish(const Applied& applied);

  // Whether anything was written. If not, the caller may still decide to write nothing.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

 private:
  void begin();
  void begin_act();

  const fs::Sink sink_;
  fs::JsonWriter json_;
  const bool dry_run_;
  bool has_begun_ = false;
  bool has_acts_ = false;
};

}  // namespace fathom::act
