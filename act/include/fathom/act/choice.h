// Choice: the candidates that a user wants, by class, rule, age, size and condition, or as many as
// are needed to free so many bytes.
//
//   const Choice choice = choose(scan, found, {.need = 20 << 30}, now);
//   choice.frees;   // at least what is needed, or all that there is

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fathom/act/candidates.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/where.h"

namespace fathom::act {

struct ChoiceOptions {
  std::set<RuleClass> classes = {};             // empty: all
  std::set<std::string> rules = {};             // ids; empty: all
  std::optional<std::int64_t> older_than = {};  // nothing in it was modified since, in seconds
  std::uint64_t min_size = 0;
  std::optional<fs::Where> where = {};  // also knows the rule, the class, and absolute paths
  // Chooses until so much is freed: the safest first, then what was not changed for longest (in
  // whole months), then the largest. 0: everything. What only its own tool removes does not count.
  std::uint64_t need = 0;
};

struct Choice {
  std::vector<const Candidate*> items;  // by path; with `need`, in the order of the choice
  std::uint64_t frees = 0;              // at least: files shared between items are not counted
  bool enough = true;                   // with `need`: whether that much is freed
};

// `found` must outlive the choice. `now` is in seconds since the epoch.
[[nodiscard]] Choice choose(const fs::Scan& scan, const Candidates& found,
                            const ChoiceOptions& options, std::int64_t now);

}  // namespace fathom::act
