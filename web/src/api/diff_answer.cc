// diff_answer: what changed between two snapshots of the store, or one and the scan.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/measured_bytes.h"
#include "api/stored_answers.h"
#include "fathom/base/clock.h"
#include "fathom/rt/executor.h"
#include "fathom/store/diff_report.h"
#include "fathom/store/series.h"
#include "fathom/store/snapshot_name.h"

namespace fathom::web {

namespace {

using store::DiffBy;

constexpr std::array<std::pair<std::string_view, DiffBy>, 4> kBys = {{
    {"dir", DiffBy::directory},
    {"owner", DiffBy::owner},
    {"group", DiffBy::group},
    {"ext", DiffBy::extension},
}};

constexpr std::string_view kNow = "now";

struct DiffQuestion {
  std::optional<std::string> from;
  std::optional<std::string> to;  // kNow: the scan
  std::string path;
  std::vector<DiffBy> by;
  std::uint64_t top;
  std::uint64_t depth;
  fs::Measure measure;
};

std::vector<DiffBy> bys_of(Parameters& given) {
  const std::string list = given.text("by").value_or("dir");
  std::vector<DiffBy> bys;
  for (std::string_view rest = list;;) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto* const known =
        std::find_if(kBys.begin(), kBys.end(), [&](const auto& by) { return by.first == word; });
    if (known == kBys.end()) {
      given.set_error("by must be a list of dir, owner, group and ext, separated by commas");
      return bys;
    }
    bys.push_back(known->second);
    if (word.size() == rest.size()) return bys;
    rest.remove_prefix(word.size() + 1);
  }
}

DiffQuestion diff_question(Parameters& given) {
  constexpr std::uint64_t kMostTop = 10'000;
  DiffQuestion asked;
  asked.from = given.text("from");
  if (asked.from == kNow) given.set_error("from is now, but must name a snapshot; to may be now");
  asked.to = given.text("to");
  asked.path = path_parameter(given);
  asked.by = bys_of(given);
  asked.top = given.integer("top", 1000, 1, kMostTop);
  asked.depth = given.integer("depth", kMostOffset, 0, kMostOffset);
  asked.measure = size_measure_of(given);
  return asked;
}

struct Sides {
  std::string from;                // the name of a directory in the store
  std::string to;                  // the same, unless the other side is the scan
  const Snapshot* scan = nullptr;  // null: it is not
};

// Without a path, the snapshot is of the series of the first root.
Sides sides_of(const std::vector<store::StoredSnapshot>& all, const DiffQuestion& asked,
               const Snapshot& scan) {
  const auto& roots = scan.scan().roots;
  const std::string& series = asked.path.empty() && !roots.empty() ? roots.front() : asked.path;
  const store::StoredSnapshot& from =
      store::find_snapshot(all, asked.from.value_or("latest"), base::wall_now_ns(), series);
  return {.from = from.name, .to = std::string(kNow), .scan = &scan};
}

Sides sides_of(const std::vector<store::StoredSnapshot>& all, const DiffQuestion& asked) {
  const std::int64_t now = base::wall_now_ns();
  const store::StoredSnapshot* from = nullptr;
  if (asked.from) from = &store::find_snapshot(all, *asked.from, now, asked.path);
  if (from != nullptr && !asked.to) {
    return {.from = from->name, .to = all[store::series_of(all, from->meta).back()].name};
  }
  // Without a path, it is of the same series as the other one.
  const bool follows = from != nullptr && asked.path.empty() && !from->meta.roots.empty();
  const std::string& series = follows ? from->meta.roots.front() : asked.path;
  const store::StoredSnapshot& to =
      store::find_snapshot(all, asked.to.value_or("latest"), now, series);
  if (from != nullptr) return {.from = from->name, .to = to.name};
  const std::size_t before =
      store::before_in_series(all, static_cast<std::size_t>(&to - all.data()));
  if (before == store::kNoSnapshot) {
    throw store::NotFound("there is no snapshot of the same host, paths and selection before " +
                          to.name);
  }
  return {.from = all[before].name, .to = to.name};
}

std::string key_of(const Sides& sides, const DiffQuestion& asked) {
  std::string key = "diff " + sides.from + ' ' + sides.to + ' ' + std::to_string(asked.top) + ' ' +
                    std::to_string(asked.depth) + ' ' +
                    std::to_string(static_cast<int>(asked.measure)) + ' ';
  for (const DiffBy by : asked.by) key += std::to_string(static_cast<int>(by));
  if (sides.scan != nullptr) key += ' ' + std::to_string(sides.scan->generation());
  return key += ' ' + asked.path;
}

std::string diff_json(StoredSnapshots& stored, const Sides& sides, const DiffQuestion& asked,
                      const rt::CancelToken& cancel) {
  const StoredSnapshots::Opened from = stored.open(sides.from);
  const StoredSnapshots::Opened to =
      sides.scan == nullptr ? stored.open(sides.to) : stored.scanned(*sides.scan, cancel);
  store::DiffOptions options{
      .measure = asked.measure, .path = asked.path, .most = asked.top, .cancel = cancel};
  for (const DiffBy by : asked.by) {
    options.by_owner |= by == DiffBy::owner || by == DiffBy::group;
    options.by_extension |= by == DiffBy::extension;
  }
  rt::Executor executor({.threads = 2, .name = "fathom-compare"});
  const store::Diff diff = store::compare(*from, *to, options, executor);
  const store::DiffReport report{.diff = diff,
                                 .from = from->meta(),
                                 .to = to->meta(),
                                 .to_is_kept = sides.scan == nullptr,
                                 .measure = asked.measure,
                                 .path = asked.path,
                                 .by = asked.by,
                                 .top = asked.top,
                                 .depth = static_cast<unsigned>(asked.depth)};
  return written([&](const fs::Sink& sink) { store::write_diff_json(report, sink); });
}

}  // namespace

Answer diff_answer(StoredSnapshots& stored, const Snapshot* scan, Parameters& given,
                   const rt::CancelToken& cancel) {
  const DiffQuestion asked = diff_question(given);
  if (const auto& error = given.error()) return bad_request(*error);
  const bool with_scan = asked.to == kNow;
  if (with_scan && scan == nullptr) return no_results_yet();
  if (with_scan && scan->of_running_scan()) {
    return error_answer(503, "busy", "the scan is still running");
  }
  return stored_answer([&] {
    const StoredSnapshots::Contents contents = stored.contents();
    const auto& all = contents->snapshots;
    const Sides sides = with_scan ? sides_of(all, asked, *scan) : sides_of(all, asked);
    return stored.text(key_of(sides, asked),
                       [&] { return diff_json(stored, sides, asked, cancel); });
  });
}

}  // namespace fathom::web
