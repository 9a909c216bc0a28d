// Status: the JSON of a status.

#include "api/status.h"

#include <string_view>

#include "api/json_text.h"
#include "fathom/fs/utf8.h"

namespace fathom::web {

namespace {

std::string_view to_string(ScanState state) {
  switch (state) {
    case ScanState::scanning:
      return "scanning";
    case ScanState::complete:
      return "complete";
    case ScanState::interrupted:
      return "interrupted";
    case ScanState::failed:
      return "failed";
  }
  return "";
}

void write_paths(JsonText& json, std::string_view name, const std::vector<std::string>& paths) {
  json.begin_array(name);
  for (const std::string& path : paths) {
    json.begin_object();
    json.bytes("path", path);
    json.end_object();
  }
  json.end_array();
}

void write_progress(JsonText& json, const std::optional<fs::Progress>& progress) {
  if (!progress) {
    json.null("progress");
    return;
  }
  json.begin_object("progress");
  json.number("entries", progress->entries);
  json.number("disk_bytes", progress->disk_bytes);
  json.decimal("seconds", progress->seconds);
  json.bytes("directory", progress->directory);
  write_paths(json, "stuck", progress->stuck);
  json.end_object();
}

void write_totals(JsonText& json, const fs::Counts& counts) {
  json.begin_object("totals");
  json.number("files", counts.files);
  json.number("dirs", counts.dirs);
  json.number("symlinks", counts.symlinks);
  json.number("others", counts.others);
  json.number("entries", counts.entries());
  json.number("disk_bytes", counts.disk_bytes);
  json.number("apparent_bytes", counts.apparent_bytes);
  json.end_object();
}

// As in docs/JSON.md; a running scan is not complete.
void write_accuracy(JsonText& json, const Snapshot* snapshot) {
  json.begin_object("accuracy");
  const fs::Scan* const scan = snapshot == nullptr ? nullptr : &snapshot->scan();
  json.flag("complete", scan != nullptr && scan->complete() && !snapshot->of_running_scan());
  json.number("unreadable", scan == nullptr ? 0 : scan->errors.size());
  json.number("changed", scan == nullptr ? 0 : scan->changed);
  if (scan != nullptr && !scan->excluded.empty()) json.number("left_out", scan->excluded.size());
  if (scan != nullptr && scan->filtered_out > 0) json.number("unwanted", scan->filtered_out);
  if (scan != nullptr && scan->cancelled) json.flag("interrupted", true);
  json.end_object();
}

}  // namespace

std::string status_json(const Status& status, const Snapshot* snapshot) {
  JsonText json;
  json.begin_object();
  json.string("schema", "fathom.serve/1");
  json.string("version", status.version);
  json.number("generation", snapshot == nullptr ? 0 : snapshot->generation());
  json.string("state", to_string(status.state));
  json.string("source", status.source == ScanSource::scan ? "scan" : "file");
  write_paths(json, "roots", status.roots);
  json.string("measure", status.measure == fs::Measure::disk ? "disk" : "apparent");
  write_progress(json, status.progress);
  write_totals(json, snapshot == nullptr ? fs::Counts() : snapshot->totals().whole());
  write_accuracy(json, snapshot);
  json.signed_number("taken", snapshot == nullptr ? status.taken : snapshot->taken());
  json.string("message", fs::to_utf8(status.message));
  json.flag("can_rescan", status.can_rescan);
  json.flag("can_find_duplicates", status.can_find_duplicates);
  json.end_object();
  return std::move(json).take();
}

}  // namespace fathom::web
