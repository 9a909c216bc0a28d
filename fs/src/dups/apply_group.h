// GroupRun: the acts of one group of a plan, one by one in their order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dups/act_context.h"
#include "dups/fd.h"
#include "dups/journal.h"
#include "dups/mutating_ops.h"
#include "dups/quarantine.h"
#include "dups/recover.h"
#include "dups/unsynced.h"
#include "dups/verdict.h"
#include "dups/verified_file.h"
#include "fathom/fs/dup_apply.h"

namespace fathom::fs {

// A root of the plan, or why there is none.
struct OpenRoot {
  Fd folder;
  int code = 0;  // errno
};

// What all groups share. It outlives them.
struct ApplyContext {
  const DupPlan& plan;
  const ApplyOptions& options;
  const MutatingOps& ops;
  Journal& journal;
  const std::optional<Quarantine>& quarantine;
  const std::vector<OpenRoot>& roots;
  std::string digest;  // of the plan
  Unsynced& unsynced;  // what acts have changed: to be settled before they are said to be done
};

// Whoever runs it calls prepare() first, sees to it that what add_kept() says is on the disk and
// that the journal has what begin() says, and only then calls act() for each index.
class GroupRun {
 public:
  // `first` is the number of the group's first act in the plan.
  GroupRun(const ApplyContext& context, const PlanGroup& group, std::uint64_t first);

  [[nodiscard]] const PlanFile& file(std::size_t index) const { return group_.acts[index]; }
  [[nodiscard]] std::uint64_t number(std::size_t index) const { return first_ + index; }
  // The file that is kept instead of the next one.
  [[nodiscard]] const PlanFile& kept() const { return *kept_plan_; }
  [[nodiscard]] bool was_done(std::size_t index) const;

  // Holds the kept file, if some act is still to be done.
  void prepare();

  // For an obstacle nothing more of the group is done. The first one stays.
  void obstruct(Verdict obstacle);
  [[nodiscard]] bool is_obstructed() const { return obstacle_.has_value(); }

  // The kept file, which has to outlive a power cut that the others do not. make_durable() does it
  // at once, or obstructs.
  void add_kept(Unsynced& unsynced) const;
  void make_durable();

  void begin(std::size_t index) const;
  Verdict act(std::size_t index);

  // Says what an act has changed; false: it is not to be found any more.
  [[nodiscard]] bool add_changed(std::size_t index) const;

 private:
  // An inode as this run has left it.
  struct Touched {
    FileIdentity identity;
    std::uint64_t removed = 0;  // names, in a dry run
  };

  [[nodiscard]] bool destroys_copies() const;
  [[nodiscard]] std::optional<Verdict> sync_kept(const VerifiedFile& kept) const;
  [[nodiscard]] std::optional<Verdict> open_planned(const PlanFile& file, VerifiedFile& held) const;

  Verdict act(const PlanFile& file, const std::string& temp_prefix);
  [[nodiscard]] std::optional<Verdict> recover(const PlanFile& file,
                                               const std::string& temp_prefix) const;
  [[nodiscard]] Remains remains_of(const PlanFile& file, const std::string& temp_prefix,
                                   const Location& location) const;
  // The obstacle, and where the file is if an earlier run has left it elsewhere.
  [[nodiscard]] Verdict give_back(const PlanFile& file, std::uint64_t number,
                                  Verdict obstacle) const;
  [[nodiscard]] std::string temp_prefix_of(std::uint64_t number) const;
  [[nodiscard]] std::optional<Verdict> check(VerifiedFile& victim);
  [[nodiscard]] std::optional<Verdict> compare(VerifiedFile& victim) const;
  [[nodiscard]] bool must_compare(const VerifiedFile& victim) const;
  Verdict perform(const PlanFile& file, const std::string& temp_prefix, VerifiedFile& victim);
  Verdict record_result(const PlanFile& file, VerifiedFile& victim, Verdict verdict);
  void note(const VerifiedFile& file, bool lost_a_name);
  [[nodiscard]] std::uint64_t would_free(const VerifiedFile& victim) const;
  [[nodiscard]] std::string target_of(const PlanFile& file) const;

  const ApplyContext& context_;
  const PlanGroup& group_;
  const std::uint64_t first_;
  std::optional<Verdict> obstacle_;
  const PlanFile* kept_plan_;                 // that of kept_
  VerifiedFile kept_;                         // the kept file, open from the first act to the last
  Trust trust_ = Trust::identity;             // content: an earlier run was at work here
  std::map<std::uint64_t, Touched> touched_;  // by inode
};

}  // namespace fathom::fs
