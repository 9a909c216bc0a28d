// GroupRun: carries out the acts of one group of a plan, in their order.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dups/fd.h"
#include "dups/held_file.h"
#include "dups/journal.h"
#include "dups/quarantine.h"
#include "dups/recover.h"
#include "dups/scene.h"
#include "dups/steps.h"
#include "dups/verdict.h"
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
  const Steps& steps;
  Journal& journal;
  const std::optional<Quarantine>& quarantine;
  const std::vector<OpenRoot>& roots;
  std::string digest;  // of the plan
};

class GroupRun {
 public:
  // Called with each act, the file that was kept instead, and what became of it.
  using Report = std::function<void(const PlanFile& act, const PlanFile& kept, const Verdict&)>;

  // `first` is the number of the group's first act in the plan.
  GroupRun(const ApplyContext& context, const PlanGroup& group, std::uint64_t first,
           const Report& report);

  // Whether it came to its end: it was not cancelled.
  bool run();

 private:
  // An inode as this run has left it.
  struct Touched {
    FileIdentity identity;
    std::uint64_t removed = 0;  // names, in a dry run
  };

  bool run_all(std::optional<Verdict> obstacle);
  [[nodiscard]] std::optional<Verdict> prepare();
  [[nodiscard]] std::optional<Verdict> write_ahead();
  [[nodiscard]] std::optional<Verdict> make_durable(const HeldFile& kept) const;
  [[nodiscard]] std::optional<Verdict> hold_planned(const PlanFile& file, HeldFile& held) const;

  Verdict act(const PlanFile& file, std::uint64_t number);
  [[nodiscard]] std::optional<Verdict> recover(const PlanFile& file, const std::string& mark) const;
  [[nodiscard]] Remains remains_of(const PlanFile& file, const std::string& mark,
                                   const Place& place) const;
  // The obstacle, and where the file is if an earlier run has left it elsewhere.
  [[nodiscard]] Verdict give_back(const PlanFile& file, std::uint64_t number,
                                  Verdict obstacle) const;
  [[nodiscard]] std::string mark_of(std::uint64_t number) const;
  [[nodiscard]] std::optional<Verdict> check(HeldFile& victim);
  [[nodiscard]] std::optional<Verdict> compare(HeldFile& victim) const;
  [[nodiscard]] bool must_compare(const HeldFile& victim) const;
  Verdict perform(const PlanFile& file, const std::string& mark, HeldFile& victim);
  Verdict settle(const PlanFile& file, HeldFile& victim, Verdict verdict);
  void note(const HeldFile& file, bool lost_a_name);
  [[nodiscard]] std::uint64_t would_free(const HeldFile& victim) const;
  [[nodiscard]] std::string target_of(const PlanFile& file) const;
  [[nodiscard]] Verdict record(std::uint64_t number, Verdict verdict) const;

  const ApplyContext& context_;
  const PlanGroup& group_;
  const std::uint64_t first_;
  const Report& report_;
  const PlanFile* kept_plan_;                 // that of kept_
  HeldFile kept_;                             // the kept file, open from the first act to the last
  Trust trust_ = Trust::identity;             // content: an earlier run was at work here
  std::map<std::uint64_t, Touched> touched_;  // by inode
};

}  // namespace fathom::fs
