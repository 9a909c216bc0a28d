// GrowthReport: the members of fathom.growth/1, and the rows of the table.

#include "fathom/store/growth_report.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/fs/json_writer.h"

namespace fathom::store {

namespace {

std::string_view key_of(fs::Measure measure) {
  return measure == fs::Measure::disk ? "disk_bytes" : "apparent_bytes";
}

template <class Value>
void write_sizes(fs::JsonWriter& json, std::string_view name, const GrowthDirectory& directory,
                 Value value) {
  json.begin_array(name);
  for (const GrowthSize& size : directory.sizes) {
    size.exists ? json.number(value(size)) : json.null();
  }
  json.end_array();
}

void write_directory(fs::JsonWriter& json, const Growth& growth, std::size_t index,
                     fs::Measure measure) {
  const GrowthDirectory& directory = growth.directories[index];
  const auto& sizes = directory.sizes;
  json.begin_object();
  json.bytes("path", growth.path_of(index));
  json.number("depth", directory.depth);
  json.number("change", directory.change());
  json.number("change_of_entries", directory.change_of_entries());
  write_sizes(json, key_of(measure), directory, [](const GrowthSize& size) { return size.bytes; });
  write_sizes(json, "entries", directory, [](const GrowthSize& size) { return size.entries; });
  json.flag("lower_bound", std::any_of(sizes.begin(), sizes.end(),
                                       [](const GrowthSize& size) { return size.lower_bound; }));
  json.end_object();
}

template <class Value, class Write>
void write_estimate(fs::JsonWriter& json, std::string_view name,
                    const std::optional<Estimate<Value>>& estimate, const Write& write) {
  if (!estimate) return json.null(name);
  json.begin_object(name);
  write("expected", estimate->expected);
  write("least", estimate->least);
  write("most", estimate->most);
  json.end_object();
}

void write_forecast(fs::JsonWriter& json, const Forecast& forecast) {
  json.begin_object("forecast");
  forecast.mount_point.empty() ? json.null("mount_point")
                               : json.bytes("mount_point", forecast.mount_point);
  json.number("size", forecast.size);
  json.number("available", forecast.available);
  json.number("snapshots", forecast.points);
  write_estimate(json, "bytes_per_day", forecast.bytes_per_day,
                 [&json](std::string_view key, double bytes) { json.decimal(key, bytes); });
  write_estimate(json, "full", forecast.full,
                 [&json](std::string_view key, std::int64_t time) { json.number(key, time); });
  forecast.why_none.empty() ? json.null("why_none") : json.string("why_none", forecast.why_none);
  json.end_object();
}

void write_paths(fs::JsonWriter& json, std::string_view key,
                 const std::vector<std::string>& paths) {
  json.begin_array(key);
  for (const std::string& path : paths) {
    json.begin_object();
    json.bytes("path", path);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::vector<std::size_t> shown_directories(const Growth& growth) {
  std::vector<std::size_t> bytes;  // of the path of each
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < growth.directories.size(); ++i) {
    const GrowthDirectory& directory = growth.directories[i];
    const bool top = directory.parent == GrowthDirectory::kNoParent;
    bytes.push_back(directory.name.size() + (top ? 0 : bytes[directory.parent] + 1));
    if (bytes.back() <= fs::kLongestPath) shown.push_back(i);
  }
  return shown;
}

void write_growth_json(const Growth& growth, const GrowthOptions& options, const fs::Sink& sink) {
  const std::vector<std::size_t> shown = shown_directories(growth);
  fs::JsonWriter json(sink);
  json.begin_object();
  json.string("schema", "fathom.growth/1");
  json.string("measure", key_of(options.measure));
  options.path.empty() ? json.null("path") : json.bytes("path", options.path);
  json.number("depth", options.depth);
  json.begin_array("snapshots");
  for (const GrowthSnapshot& snapshot : growth.snapshots) {
    json.begin_object();
    json.string("id", snapshot.id);
    if (!snapshot.tag.empty()) json.bytes("tag", snapshot.tag);
    json.number("started", base::whole_seconds(snapshot.started_ns));
    json.number("time", base::whole_seconds(snapshot.ended_ns));
    json.flag("complete", snapshot.complete);
    json.end_object();
  }
  json.end_array();
  json.begin_array("dirs");
  for (const std::size_t index : shown) {
    if (!json.wanted()) break;
    write_directory(json, growth, index, options.measure);
  }
  json.end_array();
  json.number("too_long", growth.directories.size() - shown.size());
  write_paths(json, "unread_roots", growth.unread_roots);
  write_paths(json, "counted_elsewhere", growth.counted_elsewhere);
  write_forecast(json, growth.forecast);
  json.end_object();
  json.end_line();
  json.flush();
}

fs::Table growth_table(const Growth& growth, fs::Measure measure) {
  using fs::CellType;
  const std::vector<std::size_t> shown = shown_directories(growth);
  const std::size_t count = growth.snapshots.size();
  return {{.key = "growth", .title = "Growth"},
          {{"path", "Directory", CellType::path},
           {"depth", "Depth", CellType::number},
           {"snapshot", "Snapshot", CellType::text},
           {"time", "Time", CellType::time},
           {key_of(measure), "Size", CellType::bytes},
           {"entries", "Entries", CellType::count},
           {"lower_bound", "", CellType::bound}},
          shown.size() * count,
          [&growth, shown, count](std::size_t row, std::vector<fs::Cell>& cells) {
            const std::size_t index = shown[row / count];
            const GrowthDirectory& directory = growth.directories[index];
            const GrowthSnapshot& snapshot = growth.snapshots[row % count];
            const GrowthSize& size = directory.sizes[row % count];
            fs::add_cells(cells, growth.path_of(index), std::int64_t{directory.depth}, snapshot.id,
                          base::whole_seconds(snapshot.ended_ns),
                          size.exists ? fs::Cell(size.bytes) : fs::Cell(),
                          size.exists ? fs::Cell(size.entries) : fs::Cell(),
                          size.exists ? fs::Cell(size.lower_bound) : fs::Cell());
          },
          growth.directories.size() - shown.size()};
}

}  // namespace fathom::store
