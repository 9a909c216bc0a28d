// AppliedJson: what became of each act of a plan, as programs read it.
//
// Schema fathom.dups.applied/1: one object and a newline, with a line for each act, handed on in
// blocks while the run goes on. A path that is not UTF-8 is written with U+FFFD for what is not,
// and under the same key with _b64 behind it are its bytes.
//
//   fs::AppliedJson json(sink, options.dry_run);
//   options.on_act = [&](const fs::Act& act) { json.act(plan, act); };
//   json.finish(fs::apply_plan(plan, options));

#pragma once

#include <string>

#include "fathom/fs/blocks.h"
#include "fathom/fs/dup_apply.h"
#include "fathom/fs/dup_plan.h"
#include "fathom/fs/sink.h"

namespace fathom::fs {

class AppliedJson {
 public:
  AppliedJson(Sink sink, bool dry_run);

  void act(const DupPlan& plan, const Act& act);
  void undone(const Undone& file);

  // The sums, and the end.
  void finish(const Applied& applied);

  // Whether anything was written. Before that the text may still be left unwritten.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

 private:
  void begin();
  void put(const std::string& object);

  const Sink sink_;
  Blocks blocks_;
  const bool dry_run_;
  bool has_begun_ = false;
  bool has_acts_ = false;
};

}  // namespace fathom::fs
