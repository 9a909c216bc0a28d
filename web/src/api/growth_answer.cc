// growth_answer: how directories grew over the snapshots of the store.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "api/measured_bytes.h"
#include "api/stored_answers.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/executor.h"
#include "fathom/store/growth_report.h"
#include "fathom/store/series.h"
#include "fathom/store/snapshot_name.h"

namespace fathom::web {

namespace {

struct GrowthQuestion {
  std::string path;
  std::optional<std::int64_t> since;  // seconds since the epoch
  std::uint64_t depth;
  fs::Measure measure;
};

// An age, or seconds since the epoch.
std::optional<std::int64_t> since_of(Parameters& given) {
  const std::optional<std::string> text = given.text("since");
  if (!text) return std::nullopt;
  if (const auto age = store::age_of(*text)) return base::wall_now() - *age;
  std::int64_t second = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, second);
  if (error == std::errc() && stop == end) return second;
  given.set_error("since must be an age such as 12h, 30d or 8w, or seconds since the epoch");
  return std::nullopt;
}

GrowthQuestion growth_question(Parameters& given) {
  constexpr std::uint64_t kDeepest = 32;
  GrowthQuestion asked;
  asked.path = path_parameter(given);
  asked.since = since_of(given);
  asked.depth = given.integer("depth", 1, 0, kDeepest);
  asked.measure = size_measure_of(given);
  return asked;
}

// The snapshots to read, the oldest first: of the path, or else of what the newest one is of.
std::vector<std::size_t> chosen(const std::vector<store::StoredSnapshot>& all,
                                GrowthQuestion& asked) {
  if (all.empty()) throw store::NotFound("the store has no snapshots");
  std::vector<std::size_t> indexes;
  if (asked.path.empty()) {
    const store::SnapshotMeta& newest = all.back().meta;
    indexes = store::series_of(all, newest);
    if (newest.roots.size() == 1) asked.path = newest.roots.front();
  } else {
    indexes = store::series_of_path(all, asked.path);
    if (indexes.empty()) throw store::NotFound("no snapshot contains " + asked.path);
  }
  if (asked.since) store::keep_since(all, *asked.since, indexes);
  return indexes;
}

std::string growth_json(StoredSnapshots& stored, GrowthQuestion asked,
                        const rt::CancelToken& cancel) {
  constexpr std::size_t kMostDirectories = 10'000;
  const StoredSnapshots::Contents contents = stored.contents();
  const std::vector<std::size_t> indexes = chosen(contents->snapshots, asked);
  const store::GrowthOptions options{.path = asked.path,
                                     .depth = static_cast<unsigned>(asked.depth),
                                     .measure = asked.measure,
                                     .most = kMostDirectories};
  // Each is read once, so it need not stay open.
  const auto open = [&](std::size_t i) {
    if (cancel.cancelled()) throw base::Error("nobody waits for the answer");
    return stored.open_once(contents->snapshots[indexes[i]].name);
  };
  // With the calling thread, two snapshots are open at a time.
  rt::Executor executor({.threads = 1, .name = "fathom-read"});
  const store::Growth growth = store::measure_growth(indexes.size(), open, options, executor);
  if (!growth.unreadable.empty()) throw base::Error(growth.unreadable.front());
  return written([&](const fs::Sink& sink) { store::write_growth_json(growth, options, sink); });
}

}  // namespace

Answer growth_answer(StoredSnapshots& stored, Parameters& given, const rt::CancelToken& cancel) {
  const GrowthQuestion asked = growth_question(given);
  if (const auto& error = given.error()) return bad_request(*error);
  return stored_answer([&] { return growth_json(stored, asked, cancel); });
}

}  // namespace fathom::web
