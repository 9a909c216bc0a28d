// LogReport: the rows, and the members of fathom.log/1.

#include "fathom/store/log_report.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include "fathom/base/clock.h"
#include "fathom/fs/json.h"
#include "fathom/fs/json_writer.h"
#include "fathom/store/series.h"

namespace fathom::store {

namespace {

// Sums of bytes may be any number of 64 bits, their difference saturates.
std::int64_t difference(std::uint64_t now, std::uint64_t before) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t size = std::min(now > before ? now - before : before - now, kMost);
  return now > before ? static_cast<std::int64_t>(size) : -static_cast<std::int64_t>(size);
}

void write_change(fs::JsonWriter& json, const LogRow& row) {
  if (row.before == nullptr) return json.null("change");
  json.begin_object("change");
  json.string("since", row.before->meta.id);
  json.number("entries", *row.change_of_entries());
  json.number("disk_bytes", *row.change_of(&fs::Counts::disk_bytes));
  json.number("apparent_bytes", *row.change_of(&fs::Counts::apparent_bytes));
  json.end_object();
}

void write_row(fs::JsonWriter& json, const LogRow& row) {
  const SnapshotMeta& meta = row.snapshot->meta;
  json.begin_object();
  json.string("id", meta.id);
  json.string("name", row.snapshot->name);
  meta.tag.empty() ? json.null("tag") : json.bytes("tag", meta.tag);
  meta.host.empty() ? json.null("host") : json.bytes("host", meta.host);
  json.path_objects("roots", meta.roots);
  json.bytes_of_each("selection", meta.selection);
  json.number("started", base::whole_seconds(meta.started_ns));
  json.number("ended", base::whole_seconds(meta.ended_ns));
  fs::write_totals(json, meta.totals);
  write_change(json, row);
  json.flag("complete", meta.complete());
  json.number("errors", meta.errors);
  json.flag("imported", meta.imported);
  json.number("stored_bytes", row.snapshot->bytes());
  json.end_object();
}

}  // namespace

std::optional<std::int64_t> LogRow::change_of_entries() const {
  if (before == nullptr) return std::nullopt;
  return difference(snapshot->meta.totals.entries(), before->meta.totals.entries());
}

std::optional<std::int64_t> LogRow::change_of(std::uint64_t fs::Counts::*bytes) const {
  if (before == nullptr) return std::nullopt;
  return difference(snapshot->meta.totals.*bytes, before->meta.totals.*bytes);
}

std::vector<LogRow> log_rows(std::span<const StoredSnapshot> oldest_first) {
  std::vector<std::size_t> all(oldest_first.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return log_rows(oldest_first, all);
}

std::vector<LogRow> log_rows(std::span<const StoredSnapshot> oldest_first,
                             std::span<const std::size_t> indexes) {
  std::vector<LogRow> rows;
  for (auto index = indexes.rbegin(); index != indexes.rend(); ++index) {
    const std::size_t before = before_in_series(oldest_first, *index);
    rows.push_back({.snapshot = &oldest_first[*index],
                    .before = before == kNoSnapshot ? nullptr : &oldest_first[before]});
  }
  return rows;
}

void write_log_json(const LogReport& report, const fs::Sink& sink) {
  fs::JsonWriter json(sink);
  json.begin_object();
  json.string("schema", "fathom.log/1");
  json.bytes("store", report.store);
  json.number("total", report.total);
  if (report.offset) json.number("offset", *report.offset);
  json.begin_array("snapshots");
  for (const LogRow& row : report.rows) write_row(json, row);
  json.end_array();
  json.begin_array("unreadable");
  for (const UnreadableSnapshot& one : report.unreadable) {
    json.begin_object();
    json.string("name", one.name);
    json.bytes("why", one.why);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_line();
  json.flush();
}

}  // namespace fathom::store
