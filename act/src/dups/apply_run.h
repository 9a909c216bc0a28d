// ApplyRun: carries out all acts of a plan, in batches.
//
// An act takes microseconds; syncing it to the disk takes milliseconds. Therefore many acts are
// synced together, with three waits per batch:
//
//   1. The kept files of the batch are synced to the disk.
//   2. The journal gets a line for each act that begins, and is synced to the disk.
//   3. The acts are carried out, one after the other.
//   4. The directories that they have changed are synced to the disk.
//   5. The journal gets a line for each act that is done.
//
// A power cut at any point loses nothing. By step 1, the kept file of each group is on the disk
// before any of its copies is removed, and no act changes the kept file of another group, because
// no inode is in two groups. By step 2, the next run knows every act that was begun, including its
// temporary names. It does not matter which acts of a batch have reached the disk, and in which
// order: each act concerns names in one directory (in two for a quarantine), consists of links and
// renames, which are atomic, and is checked individually. By step 4, no act is reported as done
// that could still be undone. The lines of step 5 reach the disk with the next batch, or not at
// all: if an act is done without a line that says so, the next run finds this out from the files.
//
// docs/decisions/0006-acts-in-batches.md has the measurements.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "dups/apply_group.h"
#include "fathom/act/dup_plan.h"
#include "run/verdict.h"

namespace fathom::act {

class ApplyRun {
 public:
  // Called with each act, the file that was kept instead, and the result.
  using Report = std::function<void(const PlanFile& act, const PlanFile& kept, const Verdict&)>;

  // Both must outlive it.
  ApplyRun(const ApplyContext& context, const Report& report)
      : context_(context), report_(report) {}

  // Returns whether it finished, that is, was not cancelled.
  bool run();

 private:
  struct Pending {
    GroupRun* group = nullptr;
    std::size_t index = 0;  // in the group
    const PlanFile* kept = nullptr;
    Verdict verdict;
    bool is_recorded = false;  // or does not have to be
  };

  bool gather();
  void write_ahead();
  void make_kept_durable();
  bool carry_out();
  void record();
  void report() const;
  [[nodiscard]] bool is_to_do(const Pending& act) const;

  const ApplyContext& context_;
  const Report& report_;
  std::size_t group_ = 0;                          // the group of the next act in the plan
  std::size_t index_ = 0;                          // in the group
  std::uint64_t number_ = 0;                       // in the plan
  std::vector<std::unique_ptr<GroupRun>> groups_;  // of the batch
  std::vector<Pending> batch_;
};

}  // namespace fathom::act
