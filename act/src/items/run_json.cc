// RunJson: the fields of items and totals.

#include "fathom/act/run_json.h"

#include <utility>

namespace fathom::act {

void RunJson::item(const ItemResult& item) {
  begin_item(item.path, item.outcome, item.why);
  json_.string("do", to_string(item.item->action));
  json_.number("freed_bytes", item.freed);
  if (item.open > 0) json_.number("open_bytes", item.open);
  json_.number("held_bytes", item.held);
  if (!item.moved_to.empty()) json_.bytes("moved_to", item.moved_to);
  json_.end_object();
}

void RunJson::undone(const UndoneItem& item) {
  begin_item(item.path, item.outcome, item.why);
  json_.end_object();
}

void RunJson::finish(const PlanApplied& applied, const std::string& journal) {
  end_items(applied);
  json_.number("freed_bytes", applied.freed);
  json_.number("held_bytes", applied.held);
  if (!applied.open.empty()) write_open(applied.open);
  json_.begin_array("free_space");
  for (const FreeSpace& space : applied.space) {
    json_.begin_object();
    json_.bytes("root", space.root);
    json_.number("before_bytes", space.before);
    json_.number("after_bytes", space.after);
    json_.end_object();
  }
  json_.end_array();
  if (!journal.empty()) json_.bytes("journal", journal);
  end();
}

void RunJson::write_open(const std::vector<OpenFile>& files) {
  json_.number("open_bytes", bytes_of(files));
  json_.begin_array("open_files");
  for (const OpenFile& file : files) {
    json_.begin_object();
    json_.bytes("path", file.path);
    json_.number("bytes", file.bytes);
    json_.number("process", file.process);
    json_.bytes("program", file.program);
    json_.end_object();
  }
  json_.end_array();
}

void RunJson::finish(const RunUndone& undone) {
  end_items(undone);
  json_.number("deleted_for_good", undone.removed_for_good);
  end();
}

void RunJson::begin() {
  if (std::exchange(begun_, true)) return;
  json_.begin_object();
  json_.string("schema", "fathom.applied/1");
  json_.flag("dry_run", dry_run_);
  json_.begin_array("items");
}

void RunJson::begin_item(const std::string& path, Outcome outcome, const std::string& why) {
  begin();
  json_.break_line();
  json_.begin_object();
  json_.bytes("path", path);
  json_.string("outcome", to_string(outcome));
  if (!why.empty()) json_.bytes("why", why);
}

void RunJson::end_items(const Applied& applied) {
  begin();
  json_.end_array();
  json_.number("done", applied.done);
  json_.number("done_before", applied.done_before);
  json_.number("refused", applied.refused);
  json_.number("failed", applied.failed);
  json_.flag("cancelled", applied.cancelled);
}

void RunJson::end() {
  json_.end_object();
  json_.end_line();
  json_.flush();
}

}  // namespace fathom::act
