// GroupRun: the acts of one group of a plan, in their order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dups/act_context.h"
#include "dups/journal.h"
#include "dups/path_rules.h"
#include "dups/recover.h"
#include "dups/verified_file.h"
#include "fathom/act/dup_apply.h"
#include "fathom/base/fd.h"
#include "os/mutating_ops.h"
#include "os/open_root.h"
#include "run/quarantine.h"
#include "run/unsynced.h"
#include "run/verdict.h"

namespace fathom::act {

// Whether the files of an act are compared again right before it, in places where the kernel does
// not do so.
enum class Recheck : std::uint8_t {
  always,
  if_inconclusive,  // only where times cannot rule out a change; see dup_apply.h
  never,            // for a check that is followed by no act
};

// Shared by all groups. Must outlive them.
struct ApplyContext {
  const DupPlan& plan;
  const ApplyOptions& options;
  const MutatingOps& ops;
  Journal& journal;
  const std::optional<Quarantine>& quarantine;
  const std::vector<OpenRoot>& roots;
  const PathRules& path_rules;
  std::string digest;  // of the plan
  Recheck recheck = Recheck::always;
  Unsynced& unsynced;  // what acts have changed; synced before they are reported as done
};

// The caller first calls prepare(); then it syncs what add_kept() adds, and flushes the journal
// after begin(); and only then it calls act() for each index.
class GroupRun {
 public:
  // `first` is the number of the group's first act in the plan.
  GroupRun(const ApplyContext& context, const PlanGroup& group, std::uint64_t first);

  [[nodiscard]] const PlanFile& file(std::size_t index) const { return group_.acts[index]; }
  [[nodiscard]] std::uint64_t number(std::size_t index) const { return first_ + index; }
  // The file that is kept in place of the next one.
  [[nodiscard]] const PlanFile& kept() const { return *kept_plan_; }
  [[nodiscard]] bool was_done(std::size_t index) const;

  // Opens the kept file, unless all acts are done.
  void prepare();

  // After an obstacle, no further act of the group is done. The first obstacle stays.
  void obstruct(Verdict obstacle);
  [[nodiscard]] bool is_obstructed() const { return obstacle_.has_value(); }

  // The kept file must survive a power cut, because its copies will not. add_kept() adds it to
  // `unsynced`; make_durable() syncs it immediately, or obstructs the group.
  void add_kept(Unsynced& unsynced) const;
  void make_durable();

  void begin(std::size_t index) const;
  // Adds a line to the journal if the act was refused before it changed anything.
  Verdict act(std::size_t index);

  // Adds what an act has changed to Unsynced; false: it cannot be found any more.
  [[nodiscard]] bool add_changed(std::size_t index) const;

 private:
  // The state in which this run has left an inode.
  struct Touched {
    fs::FileIdentity identity;
    std::uint64_t removed = 0;  // names that its link count still includes
  };
  using Inode = std::pair<std::uint64_t, std::uint64_t>;  // device and number
  static Inode inode_of(const fs::FileIdentity& identity) {
    return {identity.device, identity.inode};
  }

  [[nodiscard]] bool has_begun_before(std::size_t index) const;
  [[nodiscard]] Trust trust_in(const fs::FileIdentity& identity) const;
  [[nodiscard]] bool destroys_copies() const;
  [[nodiscard]] std::optional<Verdict> sync_kept(const VerifiedFile& kept) const;
  [[nodiscard]] std::optional<Verdict> open_planned(const PlanFile& file, VerifiedFile& held) const;

  [[nodiscard]] std::optional<Verdict> recover(const PlanFile& file,
                                               const std::string& temp_prefix) const;
  [[nodiscard]] Remains remains_of(const PlanFile& file, const std::string& temp_prefix,
                                   const Location& location) const;
  // The obstacle, followed by the location of the file if an earlier run has left it elsewhere.
  [[nodiscard]] Verdict give_back(const PlanFile& file, std::uint64_t number,
                                  Verdict obstacle) const;
  [[nodiscard]] std::string temp_prefix_of(std::uint64_t number) const;
  [[nodiscard]] std::optional<Verdict> check(const PlanFile& file, VerifiedFile& victim);
  [[nodiscard]] std::optional<Verdict> compare(VerifiedFile& victim) const;
  [[nodiscard]] bool must_compare(const VerifiedFile& victim) const;
  Verdict perform(const PlanFile& file, const std::string& temp_prefix, VerifiedFile& victim);
  Verdict record_result(const PlanFile& file, VerifiedFile& victim, Verdict verdict);
  void note(const VerifiedFile& file, bool lost_a_name);
  [[nodiscard]] std::uint64_t would_release(const VerifiedFile& victim) const;
  [[nodiscard]] std::string target_of(const PlanFile& file) const;

  const ApplyContext& context_;
  const PlanGroup& group_;
  const std::uint64_t first_;
  std::optional<Verdict> obstacle_;
  const PlanFile* kept_plan_;     // the plan's entry of kept_
  VerifiedFile kept_;             // the kept file, open from the first act to the last
  std::set<Inode> begun_before_;  // by an earlier run, which may have changed their ctime
  std::map<Inode, Touched> touched_;
};

}  // namespace fathom::act
