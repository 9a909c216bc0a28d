// Status: the JSON of a status.

#include "api/status.h"

#include <string_view>

#include "fathom/fs/json.h"
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

void write_progress(fs::JsonWriter& json, const std::optional<fs::Progress>& progress) {
  if (!progress) {
    json.null("progress");
    return;
  }
  json.begin_object("progress");
  json.number("entries", progress->entries);
  json.number("disk_bytes", progress->disk_bytes);
  json.decimal("seconds", progress->seconds);
  json.bytes("directory", progress->directory);
  json.path_objects("stuck", progress->stuck);
  json.end_object();
}

void write_live(fs::JsonWriter& json, const std::optional<LiveStatus>& live) {
  if (!live) {
    json.null("live");
    return;
  }
  json.begin_object("live");
  json.string("state", live->rescanning ? "rescanning" : "following");
  json.path_objects("not_followed", live->not_followed);
  json.end_object();
}

// Left out if it is unknown, or if the roots are on several filesystems.
void write_filesystem(fs::JsonWriter& json, const Snapshot* snapshot) {
  if (snapshot == nullptr || snapshot->scan().filesystems.size() != 1) return;
  const fs::FilesystemFacts& facts = snapshot->scan().filesystems.front();
  if (facts.size == 0) return;  // such as /proc
  json.begin_object("filesystem");
  json.bytes("mount_point", facts.mount_point);
  json.number("size", facts.size);
  json.number("free", facts.free);
  json.number("available", facts.available);
  json.end_object();
}

// A running scan is not complete.
fs::Accuracy accuracy_of(const Snapshot* snapshot) {
  if (snapshot == nullptr) return {};
  fs::Accuracy accuracy = fs::accuracy_of(snapshot->scan());
  accuracy.complete = accuracy.complete && !snapshot->of_running_scan();
  return accuracy;
}

}  // namespace

std::string status_json(const Status& status, const Snapshot* snapshot, bool can_apply) {
  fs::JsonWriter json;
  json.begin_object();
  json.string("schema", "fathom.serve/1");
  json.string("version", status.version);
  json.number("generation", snapshot == nullptr ? 0 : snapshot->generation());
  json.string("state", to_string(status.state));
  json.string("source", status.source == ScanSource::scan ? "scan" : "file");
  json.path_objects("roots", status.roots);
  json.string("measure", status.measure == fs::Measure::disk ? "disk" : "apparent");
  write_progress(json, status.progress);
  fs::write_totals(json, snapshot == nullptr ? fs::Counts() : snapshot->totals().whole());
  fs::write_accuracy(json, accuracy_of(snapshot));
  write_filesystem(json, snapshot);
  json.number("taken", snapshot == nullptr ? status.taken : snapshot->taken());
  json.string("message", fs::to_utf8(status.message));
  write_live(json, status.live);
  json.flag("can_rescan", status.can_rescan);
  json.flag("can_find_duplicates", status.can_find_duplicates);
  json.flag("can_apply", can_apply);
  json.end_object();
  return std::move(json).take();
}

}  // namespace fathom::web
