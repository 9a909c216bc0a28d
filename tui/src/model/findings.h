// Findings: what a search through a whole scan found, as entries in groups: what the rules of
// `fathom clean` choose, by class; equal files; or what has changed since a snapshot.
//
// Immutable, and made outside of the thread of the terminal, because it takes a while.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "fathom/act/candidates.h"
#include "fathom/act/rules.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/duplicates.h"
#include "model/facts.h"

namespace fathom::tui {

enum class Search : std::uint8_t { clean, growth, duplicates };
inline constexpr std::size_t kSearches = 3;

struct Finding {
  fs::NodeId node = fs::kNoNode;     // kNoNode: it is gone
  fs::DirId directory = fs::kNoDir;  // if it is one
  std::uint64_t bytes = 0;           // on the disk
  std::uint64_t frees = 0;           // of these, if it is removed
  std::uint32_t detail = 0;          // its index in Ruled::found, or in Findings::changes
};

struct FindingGroup {
  enum class Kind : std::uint8_t { safe, probably, yours, tool, skipped, equal, changes };

  Kind kind = Kind::safe;
  std::size_t begin = 0;  // of Findings::items
  std::size_t end = 0;
  // What removing its entries frees; of equal files, all but one.
  std::uint64_t bytes = 0;
  bool opens = true;  // at first

  [[nodiscard]] std::size_t size() const { return end - begin; }
};

// What rules chose and skipped. The candidates refer to the rules.
struct Ruled {
  act::RuleSet rules;
  act::Candidates found;
};

// A directory or another entry that takes more or less than before.
struct Change {
  enum class Kind : std::uint8_t { changed, created, removed };

  Kind kind = Kind::changed;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  std::string path = {};  // below the root, if there is only one; bytes

  [[nodiscard]] std::int64_t bytes() const { return base::saturating_difference(after, before); }
};

struct FindingRows {
  std::vector<Finding> items;
  std::vector<FindingGroup> groups;
};

// None of the groups is empty.
struct Findings : FindingRows {
  std::shared_ptr<const Facts> facts;
  bool complete = true;

  std::shared_ptr<const Ruled> ruled;
  std::unordered_map<fs::NodeId, std::uint32_t> ruled_items;  // indexes of candidates

  std::vector<Change> changes;
  std::int64_t since = 0;  // of the changes, in seconds since the epoch
  std::int64_t total = 0;  // all of them together, in bytes

  // What a rule says about the entry; null: none is about it.
  [[nodiscard]] const act::Candidate* candidate(fs::NodeId node) const;
};

// Each class is a group, the safest first; the largest entries come first.
[[nodiscard]] Findings findings_of(std::shared_ptr<const Facts> facts,
                                   std::shared_ptr<const Ruled> ruled);

// Each group of equal files is one, the most wasted bytes first; the files come by path.
[[nodiscard]] Findings findings_of(std::shared_ptr<const Facts> facts, const fs::Duplicates& same);

// What rules chose, or equal files, in a newer scan, in which entries have other numbers (kNoNode:
// it is gone). A file that has changed is no longer equal.
[[nodiscard]] Findings renumbered(const Findings& before, std::shared_ptr<const Facts> facts,
                                  const std::vector<fs::NodeId>& nodes,
                                  const std::vector<fs::DirId>& directories);

// Those of some rows of the findings whose path or rule matches, as fs::NameMatcher takes the text.
// Equal files stay together. Groups keep their numbers, so some may be empty.
[[nodiscard]] FindingRows narrowed(const Findings& findings, const FindingRows& rows,
                                   const std::string& text);

}  // namespace fathom::tui
