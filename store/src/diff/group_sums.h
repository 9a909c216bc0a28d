// GroupSums: what owners, groups and extensions have gained and lost.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "diff/row_reader.h"
#include "fathom/store/diff.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {

class GroupSums {
 public:
  // Sums nothing.
  GroupSums() = default;
  // Sums what the options ask for.
  explicit GroupSums(const DiffOptions& options)
      : by_owner_(options.by_owner), by_extension_(options.by_extension) {}

  // Takes bytes from the groups of one entry, and adds bytes to those of another one, or of the
  // same. What a group loses and gains at once is not counted.
  void exchange(const EntryFacts& was, std::string_view was_name, std::uint64_t before,
                const EntryFacts& is, std::string_view is_name, std::uint64_t after);
  void take(const EntryFacts& facts, std::string_view name) {
    exchange(facts, name, facts.bytes, facts, name, 0);
  }
  void add(const EntryFacts& facts, std::string_view name) {
    exchange(facts, name, 0, facts, name, facts.bytes);
  }
  void append(const GroupSums& other);

  // Writes the sums to the result, the largest absolute change first.
  void write(const SnapshotMeta& before, const SnapshotMeta& after, Diff& diff) const;

 private:
  bool by_owner_ = false;
  bool by_extension_ = false;
  std::map<std::uint32_t, DiffGroup> owners_;
  std::map<std::uint32_t, DiffGroup> groups_;
  std::map<std::string, DiffGroup> extensions_;
};

}  // namespace fathom::store
