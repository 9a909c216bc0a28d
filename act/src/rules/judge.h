// Judge: what a rule says about an entry: whether its conditions hold, which demotions apply, and
// whether it must be skipped.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fathom/act/candidates.h"
#include "fathom/act/never_touch.h"
#include "fathom/fs/children.h"
#include "fathom/fs/exclusive.h"
#include "fathom/fs/newest.h"
#include "fathom/fs/totals.h"
#include "os/processes.h"
#include "rules/evidence.h"
#include "rules/git_trees.h"
#include "rules/inside.h"
#include "rules/rule_index.h"
#include "rules/scanned_paths.h"

namespace fathom::act {

// An entry that a rule may be about.
struct JudgedEntry {
  fs::NodeId node = fs::kNoNode;
  fs::DirId directory = fs::kNoDir;  // if it is one
};

struct Judgement {
  RuleVerdict verdict;
  std::vector<std::string> evidence;
};

class Judge {
 public:
  Judge(const fs::Scan& scan, const RuleIndex& index, const ScannedPaths& paths,
        const CandidateOptions& options);

  // With `all`, checks every condition, to show them; else stops at the first that does not hold.
  [[nodiscard]] Judgement judge(const JudgedEntry& entry, const Rule& rule, bool all);

  // The candidate for a rule that chose the entry.
  [[nodiscard]] Candidate candidate(const JudgedEntry& entry, const Rule& rule,
                                    Judgement judgement) const;

  [[nodiscard]] const fs::Totals& totals() const { return totals_; }
  [[nodiscard]] const Processes& processes() const { return processes_; }

 private:
  void find_open_entries();
  void look_at(const JudgedEntry& entry);
  [[nodiscard]] std::int64_t newest_of(const JudgedEntry& entry) const;
  [[nodiscard]] std::uint64_t disk_bytes_of(const JudgedEntry& entry) const;
  [[nodiscard]] std::string why_skipped(const JudgedEntry& entry, const Rule& rule) const;
  void check_basics(const JudgedEntry& entry, const Rule& rule,
                    std::vector<CheckedCondition>& checked) const;
  void demote(const JudgedEntry& entry, const Rule& rule, Evidence& evidence,
              RuleVerdict& verdict) const;
  void demote_for_git(Evidence& evidence, RuleVerdict& verdict) const;
  [[nodiscard]] bool has_precious(const GitTrees::Answer& git) const;
  [[nodiscard]] std::vector<std::string> paths_inside() const;

  const fs::Tree& tree_;
  const RuleIndex& index_;
  const ScannedPaths& paths_;
  const CandidateOptions& options_;
  const fs::Totals totals_;
  const fs::Exclusive exclusive_;
  const fs::Newest newest_;
  const fs::Children children_;
  const NeverTouch never_;
  const Processes processes_;
  GitTrees git_;
  std::unordered_map<fs::DirId, OpenIn> open_below_;  // directories with an open entry
  std::unordered_map<fs::NodeId, OpenIn> open_files_;

  // ---- Of the entry that was judged last
  fs::NodeId last_ = fs::kNoNode;
  std::string path_;
  Inside inside_;
};

}  // namespace fathom::act
