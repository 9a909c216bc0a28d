// Shard: a part of a scan, for several processes or machines that share one.
//
// A shard scans until its budget is spent, and returns the entries that it has not looked at. Other
// shards begin with these. Together they find what one scan finds: each entry in exactly one shard,
// and the directories above it in each shard that begins below them.
//
//   ScanOptions options;
//   options.roots = {"/srv"};
//   options.shard = {.most_time = std::chrono::seconds(2)};
//   Scan first = fs::scan(options);
//   options.shard->from = first.rest;
//   Scan second = fs::scan(options);

#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fathom/rt/cancel.h"

namespace fathom::fs {

struct Shard {
  // The budget. At least one entry is looked at beyond the roots and the directories above `from`.
  // The names of a directory that was begun are always read to the end, although their metadata is
  // not: about a million names per second.
  std::uint64_t most_entries = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::chrono::nanoseconds> most_time = {};  // may be exceeded by about 10 ms

  // The budget is also spent when this is cancelled: somebody else waits for what is left.
  rt::CancelToken hand_back = {};

  // Where to begin: some paths of Scan::rest of an earlier shard of the same roots; empty: at the
  // roots. The roots must be distinct, and none may contain another one.
  std::vector<std::string> from = {};
};

}  // namespace fathom::fs
