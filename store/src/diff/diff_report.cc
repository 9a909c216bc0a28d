// DiffReport: the members of fathom.diff/1, and the tables.

#include "fathom/store/diff_report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/json.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/kind_words.h"
#include "fathom/fs/utf8.h"

namespace fathom::store {

namespace {

std::string_view word_for(DiffDirectory::State state) {
  switch (state) {
    case DiffDirectory::State::kept:
      return "kept";
    case DiffDirectory::State::created:
      return "created";
    case DiffDirectory::State::removed:
      return "removed";
    case DiffDirectory::State::moved_here:
      return "moved_here";
    case DiffDirectory::State::moved_away:
      break;
  }
  return "moved_away";
}

// ---- Directories

// The reported directories, in order.
struct ReportedDirectories {
  std::vector<std::size_t> indexes;
  std::uint64_t too_long = 0;
};

ReportedDirectories reported_directories(const DiffReport& report) {
  const std::vector<DiffDirectory>& all = report.diff.directories;
  struct Place {
    unsigned depth = 0;
    std::size_t bytes = 0;  // of the path
  };
  std::vector<Place> places(all.size());
  ReportedDirectories reported;
  for (std::size_t i = 0; i < all.size(); ++i) {
    places[i] = {.depth = 0, .bytes = all[i].name.size()};
    if (all[i].parent != DiffDirectory::kNoParent) {
      const Place& above = places[all[i].parent];
      places[i] = {.depth = above.depth + 1, .bytes = above.bytes + 1 + all[i].name.size()};
    }
    if (report.depth && places[i].depth > *report.depth) continue;
    if (places[i].bytes > fs::kLongestPath) {
      ++reported.too_long;
    } else {
      reported.indexes.push_back(i);
    }
  }
  std::sort(reported.indexes.begin(), reported.indexes.end(), [&](std::size_t a, std::size_t b) {
    const std::uint64_t change_a = base::magnitude(all[a].change());
    const std::uint64_t change_b = base::magnitude(all[b].change());
    return change_a != change_b ? change_a > change_b : a < b;
  });
  if (report.top != 0 && reported.indexes.size() > report.top) reported.indexes.resize(report.top);
  return reported;
}

fs::Table directories_table(const DiffReport& report) {
  using fs::CellType;
  auto reported = std::make_shared<const ReportedDirectories>(reported_directories(report));
  return {{.key = "dirs", .title = "Changes by directory"},
          {{"path", "Directory", CellType::path},
           {"state", "State", CellType::text},
           {"before", "Before", CellType::bytes},
           {"after", "After", CellType::bytes},
           {"change", "Change", CellType::number},
           {"created", "Created", CellType::bytes},
           {"grown", "Grown", CellType::bytes},
           {"removed", "Removed", CellType::bytes},
           {"shrunk", "Shrunk", CellType::bytes},
           {"moved_in", "Moved in", CellType::bytes},
           {"moved_out", "Moved out", CellType::bytes},
           {"reattributed", "Reattributed", CellType::number}},
          reported->indexes.size(),
          [&report, reported](std::size_t row, std::vector<fs::Cell>& cells) {
            const std::size_t index = reported->indexes[row];
            const DiffDirectory& directory = report.diff.directories[index];
            const Balance& balance = directory.balance;
            fs::add_cells(cells, report.diff.path_of(index), std::string(word_for(directory.state)),
                          directory.before, directory.after, directory.change(), balance.created,
                          balance.grown, balance.removed, balance.shrunk, balance.moved_in,
                          balance.moved_out, balance.reattributed);
          },
          reported->too_long};
}

// ---- Owners, groups, extensions

std::size_t reported_rows(const DiffReport& report, const std::vector<DiffGroup>& groups) {
  return report.top == 0 ? groups.size() : std::min(groups.size(), report.top);
}

// The number of an owner or group; null if it is unknown.
fs::Cell owner_id(const DiffGroup& group) {
  if (group.id == fs::kUnknownOwner) return std::monostate();
  return std::int64_t{group.id};
}

fs::Table owners_table(const DiffReport& report, fs::TableHead head,
                       const std::vector<DiffGroup>& groups) {
  using fs::CellType;
  return {head,
          {{"id", "Id", CellType::number},
           {"name", "Name", CellType::path},
           {"added", "Added", CellType::bytes},
           {"taken", "Taken", CellType::bytes},
           {"change", "Change", CellType::number}},
          reported_rows(report, groups),
          [&groups](std::size_t row, std::vector<fs::Cell>& cells) {
            const DiffGroup& group = groups[row];
            fs::add_cells(cells, owner_id(group),
                          group.name.empty() ? fs::Cell() : fs::Cell(group.name), group.added,
                          group.taken, group.change());
          }};
}

fs::Table extensions_table(const DiffReport& report) {
  using fs::CellType;
  const std::vector<DiffGroup>& groups = report.diff.extensions;
  return {{.key = "extensions", .title = "Changes by extension"},
          {{"extension", "Extension", CellType::path},
           {"added", "Added", CellType::bytes},
           {"taken", "Taken", CellType::bytes},
           {"change", "Change", CellType::number}},
          reported_rows(report, groups),
          [&groups](std::size_t row, std::vector<fs::Cell>& cells) {
            const DiffGroup& group = groups[row];
            fs::add_cells(cells, group.name, group.added, group.taken, group.change());
          }};
}

// ---- JSON

void write_side(fs::JsonWriter& json, std::string_view name, const SnapshotMeta& meta, bool kept) {
  json.begin_object(name);
  kept ? json.string("id", meta.id) : json.null("id");
  if (!meta.tag.empty()) json.bytes("tag", meta.tag);
  json.number("started", base::whole_seconds(meta.started_ns));
  json.number("time", base::whole_seconds(meta.ended_ns));
  if (!meta.host.empty()) json.bytes("host", meta.host);
  json.path_objects("roots", meta.roots);
  json.flag("complete", meta.complete());
  json.end_object();
}

void write_balance(fs::JsonWriter& json, const Balance& balance) {
  json.begin_object("balance");
  json.number("created", balance.created);
  json.number("grown", balance.grown);
  json.number("removed", balance.removed);
  json.number("shrunk", balance.shrunk);
  json.number("moved_in", balance.moved_in);
  json.number("moved_out", balance.moved_out);
  json.number("reattributed", balance.reattributed);
  json.number("total", balance.total());
  json.end_object();
}

void write_items(fs::JsonWriter& json, std::string_view name, const DiffList& list,
                 std::size_t top) {
  const std::size_t count = top == 0 ? list.items.size() : std::min(top, list.items.size());
  json.begin_array(name);
  for (std::size_t i = 0; i < count && json.wanted(); ++i) {
    const DiffItem& item = list.items[i];
    json.begin_object();
    json.bytes("path", item.path);
    if (!item.from.empty()) json.bytes("from", item.from);
    json.string("kind", to_string(item.kind));
    json.number("before", item.before);
    json.number("after", item.after);
    json.number("change", item.change());
    json.end_object();
  }
  json.end_array();
}

std::uint64_t too_long(const Diff& diff) {
  return diff.moved.too_long + diff.changed.too_long + diff.created.too_long +
         diff.removed.too_long;
}

void write_table(fs::JsonWriter& json, const fs::Table& table) {
  json.key(table.key());
  fs::write_json_rows(json, table, 0, table.rows());
}

}  // namespace

fs::Table diff_table(const DiffReport& report, DiffBy by) {
  switch (by) {
    case DiffBy::directory:
      return directories_table(report);
    case DiffBy::owner:
      return owners_table(report, {.key = "owners", .title = "Changes by owner"},
                          report.diff.owners);
    case DiffBy::group:
      return owners_table(report, {.key = "groups", .title = "Changes by group"},
                          report.diff.groups);
    case DiffBy::extension:
      break;
  }
  return extensions_table(report);
}

const DiffList& diff_list(const Diff& diff, DiffItems items) {
  switch (items) {
    case DiffItems::created:
      return diff.created;
    case DiffItems::removed:
      return diff.removed;
    case DiffItems::changed:
      return diff.changed;
    case DiffItems::moved:
      break;
  }
  return diff.moved;
}

fs::Table diff_items_table(const DiffReport& report, DiffItems items) {
  using fs::CellType;
  constexpr std::array kHeads = {fs::TableHead{.key = "created", .title = "Created"},
                                 fs::TableHead{.key = "removed", .title = "Removed"},
                                 fs::TableHead{.key = "changed", .title = "Changed"},
                                 fs::TableHead{.key = "moves", .title = "Moved"}};
  const DiffList& list = diff_list(report.diff, items);
  return {kHeads[static_cast<std::size_t>(items)],
          {{"path", "Path", CellType::path},
           {"from", "From", CellType::path},
           {"kind", "Kind", CellType::text},
           {"before", "Before", CellType::bytes},
           {"after", "After", CellType::bytes},
           {"change", "Change", CellType::number}},
          list.items.size(),
          [&list](std::size_t row, std::vector<fs::Cell>& cells) {
            const DiffItem& item = list.items[row];
            fs::add_cells(cells, item.path, item.from.empty() ? fs::Cell() : fs::Cell(item.from),
                          std::string(to_string(item.kind)), item.before, item.after,
                          item.change());
          },
          list.too_long};
}

void write_diff_json(const DiffReport& report, const fs::Sink& sink) {
  const Diff& diff = report.diff;
  const fs::Table directories = diff_table(report, DiffBy::directory);
  fs::JsonWriter json(sink);
  json.begin_object();
  json.string("schema", "fathom.diff/1");
  write_side(json, "from", report.from, true);
  write_side(json, "to", report.to, report.to_is_kept);
  json.string("measure", report.measure == fs::Measure::disk ? "disk_bytes" : "apparent_bytes");
  if (!report.path.empty()) json.bytes("path", report.path);
  json.number("before", diff.before);
  json.number("after", diff.after);
  write_balance(json, diff.balance);
  write_table(json, directories);
  write_items(json, "moves", diff.moved, report.top);
  write_items(json, "changed", diff.changed, report.top);
  write_items(json, "created", diff.created, report.top);
  write_items(json, "removed", diff.removed, report.top);
  json.begin_object("counts");
  json.number("dirs", diff.directories.size());
  json.number("moves", diff.moved.count);
  json.number("changed", diff.changed.count);
  json.number("created", diff.created.count);
  json.number("removed", diff.removed.count);
  if (directories.too_long() != 0) json.number("too_long", directories.too_long());
  if (const std::uint64_t entries = too_long(diff); entries != 0) {
    json.number("too_long_entries", entries);
  }
  json.end_object();
  for (const DiffBy by : {DiffBy::owner, DiffBy::group, DiffBy::extension}) {
    const bool asked = std::find(report.by.begin(), report.by.end(), by) != report.by.end();
    if (asked) write_table(json, diff_table(report, by));
  }
  json.begin_array("notes");
  for (const std::string& note : diff.notes)
    json.string(fs::is_utf8(note) ? note : fs::to_utf8(note));
  json.end_array();
  json.end_object();
  json.end_line();
  json.flush();
}

}  // namespace fathom::store
