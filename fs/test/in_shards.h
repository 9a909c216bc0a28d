// Support for tests of shards: a scan in many of them, and what they find together.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fathom/fs/scan.h"

namespace fathom::fs {

// What is found about an entry, except what depends on other entries.
struct Found {
  std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t, std::uint32_t> facts;
  std::uint8_t flags = 0;
  int times = 0;  // in how many shards

  bool operator==(const Found& other) const { return facts == other.facts && flags == other.flags; }
};

using FoundByPath = std::map<std::string, Found>;

inline void add_found(const Scan& scan, FoundByPath& found) {
  scan.tree.for_each_node([&](NodeId node) {
    const Entry entry = scan.tree.entry(node);
    Found& one = found[scan.tree.path(node)];
    one.facts = {entry.inode, entry.size, entry.blocks, entry.mtime, entry.mode};
    constexpr std::uint8_t kOfOthers = kExtraLink | kRepeated;
    one.flags = static_cast<std::uint8_t>((one.flags | scan.tree.flags(node)) & ~kOfOthers);
    ++one.times;
  });
}

struct Joined {
  FoundByPath entries;
  std::vector<std::string> errors;
  std::uint64_t shards = 0;
};

inline void add_errors(const Scan& scan, std::vector<std::string>& errors) {
  for (const ScanError& error : scan.errors) {
    errors.push_back(std::string(error.operation) + ' ' + error.path);
  }
  std::sort(errors.begin(), errors.end());
  errors.erase(std::unique(errors.begin(), errors.end()), errors.end());
}

// Scans in shards, each of which continues with at most `batch` paths that others have left.
inline Joined scan_in_shards(ScanOptions options, const Shard& budget, std::size_t batch) {
  Joined joined;
  std::vector<std::vector<std::string>> waiting = {{}};
  while (!waiting.empty()) {
    options.shard = budget;
    options.shard->from = std::move(waiting.back());
    waiting.pop_back();
    const Scan found = scan(options);
    add_found(found, joined.entries);
    add_errors(found, joined.errors);
    ++joined.shards;
    for (std::size_t at = 0; at < found.rest.size(); at += batch) {
      const auto first = found.rest.begin() + static_cast<std::ptrdiff_t>(at);
      const auto count = std::min(batch, found.rest.size() - at);
      waiting.emplace_back(first, first + static_cast<std::ptrdiff_t>(count));
    }
  }
  return joined;
}

}  // namespace fathom::fs
