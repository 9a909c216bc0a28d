// Support for tests of stores: snapshots that have only meta.json.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/store/snapshot.h"
#include "fathom/store/store.h"
#include "os/file.h"

namespace fathom::store {

// Nanoseconds of a time in UTC.
inline std::int64_t utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  const auto time =
      std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute);
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

inline SnapshotMeta meta_at(std::int64_t ended_ns, std::string id = "91ab3c0d00112233",
                            std::vector<std::string> roots = {"/srv"}) {
  SnapshotMeta meta;
  meta.id = std::move(id);
  meta.host = "here";
  meta.roots = std::move(roots);
  meta.started_ns = ended_ns - 1'000'000'000;
  meta.ended_ns = ended_ns;
  return meta;
}

// What Store::add() calls: writes two files.
inline Store::Write writes(SnapshotMeta meta) {
  return [meta = std::move(meta)](int folder) {
    const std::pair<const char*, std::string> files[] = {{"entries.parquet", "entries"},
                                                         {"meta.json", write_meta(meta)}};
    for (const auto& [name, text] : files) {
      NewFile file(folder, name);
      file.write(text);
      file.finish();
    }
    return meta;
  };
}

}  // namespace fathom::store
