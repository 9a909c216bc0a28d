// find_entries: the entries of a scan whose names match patterns, and what they take.
//
// Entries are matched by their own names, not by their paths. A root that is a directory is where
// the search takes place and does not match, unless it is also inside another root. Entries that
// are filtered out, or counted at another path, do not match either.
//
//   const FindQuery query{.patterns = {"*.log", "core"}};
//   const Found found = find_entries(input, query);
//   write_csv(found_table(input, found), sink);
//
// Results are ordered by path and by pattern, so they are the same on every run.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/report.h"
#include "fathom/fs/selection.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"
#include "fathom/fs/where.h"

namespace fathom::fs {

struct FindQuery {
  std::vector<std::string> patterns;  // as NameMatcher compares patterns; at least one
  // The filters that a match must pass as well (Selection::matches()). The least size is compared
  // with that of a directory with everything in it.
  Selection filters = {};
  // What a match must also satisfy, with the facts of TreeFacts and the system's names of owners.
  std::optional<Where> where = {};
};

struct FoundEntry {
  NodeId node = kNoNode;
  DirId directory = kNoDir;  // if it is one
};

// What matches take, with everything in directories that match. An entry in several of these is
// counted once, and so are the bytes of an inode, wherever its other names are.
struct FoundSum {
  std::uint64_t matches = 0;  // the entries that match themselves
  Counts counts;
  bool lower_bound = false;  // something in a directory could not be read
};

struct Found {
  std::vector<FoundEntry> entries;  // by path; each once, even if several patterns match it
  std::vector<FoundSum> sums;       // by pattern
  FoundSum total;                   // of all patterns together
  std::uint64_t checked = 0;        // the entries that the scan read
};

[[nodiscard]] Found find_entries(const ReportInput& input, const FindQuery& query);

// A row for each entry. A directory has the sizes that Totals counts in it, any other entry its
// own. `found` must outlive the table.
[[nodiscard]] Table found_table(const ReportInput& input, const Found& found);

// A row for each pattern. Both must outlive the table.
[[nodiscard]] Table found_sums_table(const FindQuery& query, const Found& found, Measure measure);

// Schema fathom.find/1, as docs/JSON-find.md describes it: one object and a newline. `matches` are
// rows of found_table(); null: only the sums.
void write_found_json(const Scan& scan, const FindQuery& query, const Found& found,
                      const Table* matches, const Sink& sink);

// The name of an entry in its directory: of a root, whose name is its path, the last part of that.
// Empty for a root such as "/".
[[nodiscard]] std::string_view own_name(const Tree& tree, NodeId node);

}  // namespace fathom::fs
