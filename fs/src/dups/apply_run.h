// ApplyRun: carries out all acts of a plan, in batches.
//
// An act costs microseconds; to wait until the disk has it costs milliseconds. Hence many acts wait
// together, three times for each batch:
//
//   1. The kept files of the batch are written to the disk.
//   2. The journal has a line for each act that begins, and is written to the disk.
//   3. The acts are carried out, one after the other.
//   4. The directories that they have changed are written to the disk.
//   5. The journal gets a line for each act that is done.
//
// What a power cut leaves, wherever it comes, loses nothing: by 1 what is kept of each group is on
// the disk before any other copy goes, and no act changes the kept file of another group, as no
// inode is in two. By 2 whatever was begun is known to the next run, down to the names that it made
// up. Which of the acts of a batch have reached the disk, and in which order, does not matter: each
// is about names in one directory (a quarantine's in two), is made of links and renames that happen
// or do not, and is looked at by itself. By 4 no act is said to be done that could still be undone.
// What 5 says is on the disk with the next batch, or not: an act that is done and not said to be is
// found to be so by what stands there.
//
// docs/decisions/0006-acts-in-batches.md has the figures.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "dups/apply_group.h"
#include "dups/verdict.h"
#include "fathom/fs/dup_plan.h"

namespace fathom::fs {

class ApplyRun {
 public:
  // Called with each act, the file that was kept instead, and what became of it.
  using Report = std::function<void(const PlanFile& act, const PlanFile& kept, const Verdict&)>;

  // Both must outlive it.
  ApplyRun(const ApplyContext& context, const Report& report)
      : context_(context), report_(report) {}

  // Whether it came to its end: it was not cancelled.
  bool run();

 private:
  struct Pending {
    GroupRun* group = nullptr;
    std::size_t index = 0;  // in the group
    const PlanFile* kept = nullptr;
    Verdict verdict;
    bool is_recorded = false;  // or need not be
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
  std::size_t group_ = 0;                          // that of the next act in the plan
  std::size_t index_ = 0;                          // in that group
  std::uint64_t number_ = 0;                       // in the plan
  std::vector<std::unique_ptr<GroupRun>> groups_;  // of the batch
  std::vector<Pending> batch_;
};

}  // namespace fathom::fs
