// Candidates: the entries of a scan that rules choose, with the reasons.
//
// Evidence is read from the filesystem at that moment, below the roots of the scan and without
// following links; the scan itself only says where to look. What may never be touched (NeverTouch)
// and what a process has open is not a candidate but skipped, with the reason. A candidate inside
// another one is part of it. Roots are never candidates: the user named them as places to look; nor
// is what lies more than 250 levels below them.
//
//   const Candidates found = find_candidates(scan, RuleSet::built_in(), {own_surroundings(), now});
//   for (const Candidate& one : found.items) print(one.path, to_string(one.cls));

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fathom/act/rules.h"
#include "fathom/act/surroundings.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/cancel.h"

namespace fathom::act {

struct CandidateOptions {
  Surroundings around;
  std::int64_t now = 0;         // seconds since the epoch
  rt::CancelToken cancel = {};  // checked before each entry is examined
};

struct Candidate {
  fs::NodeId node = fs::kNoNode;
  fs::DirId directory = fs::kNoDir;    // if it is one
  std::string path;                    // absolute, without links
  const Rule* rule = nullptr;          // of the RuleSet, which must outlive it
  RuleClass cls = RuleClass::yours;    // after the demotions
  std::vector<std::string> demotions;  // sentences that say why its class is not that of the rule
  std::vector<std::string> evidence;   // paths relative to it: "CACHEDIR.TAG", "../Cargo.toml"
  std::string rebuild;                 // what makes it again; empty: nothing does
  std::string command;                 // what removes it; empty: the rule names nothing
  std::uint64_t entries = 1;           // itself included
  std::uint64_t disk_bytes = 0;
  std::uint64_t frees = 0;                 // less than disk_bytes if it shares files by hard links
  std::int64_t newest = fs::kUnknownTime;  // the last modification in it

  // Whether only its own program removes it, so that it is not planned.
  [[nodiscard]] bool left_to_tool() const { return cls == RuleClass::tool || !command.empty(); }
};

// What a rule chose, but must not be touched.
struct SkippedCandidate {
  fs::NodeId node = fs::kNoNode;
  std::string path;
  const Rule* rule = nullptr;
  std::string why;  // the rest of a sentence: "is a mount point", "is open in process 812 (mysqld)"
};

struct Candidates {
  std::vector<Candidate> items;           // by path
  std::vector<SkippedCandidate> skipped;  // by path
  std::uint64_t unseen_processes = 0;     // whose open files this user may not see
  bool cancelled = false;                 // there may be more
};

[[nodiscard]] Candidates find_candidates(const fs::Scan& scan, const RuleSet& rules,
                                         const CandidateOptions& options);

// ---- Why an entry is a candidate, or is not

struct CheckedCondition {
  std::string sentence;
  bool held = false;
};

// What one rule says about an entry.
struct RuleVerdict {
  const Rule* rule = nullptr;
  std::vector<CheckedCondition> conditions;  // up to the first that does not hold and ends it
  bool chosen = false;                       // all of them hold
  RuleClass cls = RuleClass::yours;          // if chosen: after the demotions
  std::vector<std::string> demotions;
  std::string skipped;  // if chosen: why it is skipped; empty: it is not
};

struct Explanation {
  fs::NodeId node = fs::kNoNode;      // kNoNode: the scan has no such entry
  std::string path;                   // absolute
  std::vector<RuleVerdict> verdicts;  // of the rules that are about such an entry
  std::string part_of;                // the path of the candidate that contains it; empty: none
};

[[nodiscard]] Explanation explain_candidate(const fs::Scan& scan, const RuleSet& rules,
                                            const CandidateOptions& options,
                                            const std::string& path);

}  // namespace fathom::act
