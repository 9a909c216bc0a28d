// RunJson: the result of each item of a run, as JSON with schema fathom.applied/1
// (docs/ACTING.md): one object and a newline, with one line per item, written during the run.
//
//   act::RunJson json(sink, options.dry_run);
//   options.on_item = [&](const act::ItemResult& item) { json.item(item); };
//   json.finish(act::apply_plan(plan, options));

#pragma once

#include <string>
#include <vector>

#include "fathom/act/apply.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/sink.h"

namespace fathom::act {

class RunJson {
 public:
  // The sink must outlive the object.
  RunJson(const fs::Sink& sink, bool dry_run) : json_(sink), dry_run_(dry_run) {}

  void item(const ItemResult& item);
  void undone(const UndoneItem& item);

  // Each writes the totals and closes the object; the first one with the path of the journal, if
  // the reader does not know it.
  void finish(const PlanApplied& applied, const std::string& journal = "");
  void finish(const RunUndone& undone);

 private:
  void begin();
  void begin_item(const std::string& path, Outcome outcome, const std::string& why);
  void write_open(const std::vector<OpenFile>& files);
  void end_items(const Applied& applied);
  void end();

  fs::JsonWriter json_;
  const bool dry_run_;
  bool begun_ = false;
};

}  // namespace fathom::act
