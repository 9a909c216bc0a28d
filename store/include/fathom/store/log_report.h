// LogReport: a list of snapshots as JSON (schema fathom.log/1, as docs/SNAPSHOT.md describes it).

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/fs/sink.h"
#include "fathom/store/store.h"

namespace fathom::store {

// A snapshot, and the one before it in its series; null if it is the first.
struct LogRow {
  const StoredSnapshot* snapshot = nullptr;
  const StoredSnapshot* before = nullptr;

  // By how much a sum of bytes or entries has changed; saturates. Nothing if it is the first.
  [[nodiscard]] std::optional<std::int64_t> change_of_entries() const;
  [[nodiscard]] std::optional<std::int64_t> change_of(std::uint64_t fs::Counts::*bytes) const;
};

// A row for each snapshot, or for those with these indexes, which are in ascending order; the
// latest first. The rows refer to the snapshots.
[[nodiscard]] std::vector<LogRow> log_rows(std::span<const StoredSnapshot> oldest_first);
[[nodiscard]] std::vector<LogRow> log_rows(std::span<const StoredSnapshot> oldest_first,
                                           std::span<const std::size_t> indexes);

// Rows of a list, and what they are taken from. Everything that it refers to must outlive it.
struct LogReport {
  const std::string& store;  // its path
  std::span<const LogRow> rows;
  std::uint64_t total = 0;  // rows of the whole list
  const std::vector<UnreadableSnapshot>& unreadable;
  std::optional<std::uint64_t> offset = {};  // of the first row, if the list is read in parts
};

// Writes one JSON object and a newline.
void write_log_json(const LogReport& report, const fs::Sink& sink);

}  // namespace fathom::store
