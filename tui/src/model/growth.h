// Growth: the changes of a difference that are worth a row, and where they are in the scan.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fathom/store/diff.h"
#include "model/findings.h"

namespace fathom::tui {

// The largest growth first, then by path; what became smaller comes last.
[[nodiscard]] std::vector<Change> changes_of(const store::Diff& diff);

// Finds entries by their paths. A directory is read once, when something in it is looked for.
class ScannedEntries {
 public:
  // The facts must outlive it. `roots` are the paths of their roots in what is looked for.
  ScannedEntries(const Facts& facts, const std::vector<std::string>& roots);

  // Without a node if it is not there.
  [[nodiscard]] fs::Chosen at(const std::string& path);

  // The path without that of the only root.
  [[nodiscard]] std::string below_root(const std::string& path) const;

 private:
  using Names = std::unordered_map<std::string_view, fs::Chosen>;

  [[nodiscard]] const Names& names_in(fs::DirId directory);

  const Facts& facts_;
  std::vector<std::pair<std::string, fs::Chosen>> roots_;
  std::unordered_map<fs::DirId, Names> known_;
};

// The changes of a scan whose roots have these paths in the differences, in one group, the largest
// growth first. A directory is left out if one thing in it explains most of its change.
[[nodiscard]] Findings findings_of(std::shared_ptr<const Facts> facts, const store::Diff& diff,
                                   std::int64_t since, const std::vector<std::string>& roots);

}  // namespace fathom::tui
