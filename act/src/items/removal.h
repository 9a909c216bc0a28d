// Removal: removes the files and directories of a plan for good, and nothing else.
//
// Everything is reached through descriptors of directories that were examined before. Each entry is
// compared with the state in which it was examined, right before it is removed; what has changed,
// or is new, stays, and so do the directories above it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fathom/act/open_file.h"
#include "fathom/rt/executor.h"
#include "items/survey.h"
#include "os/mutating_ops.h"
#include "os/processes.h"
#include "os/safe_open.h"

namespace fathom::act {

struct Removed {
  std::uint64_t entries = 0;
  std::uint64_t freed = 0;        // bytes on the disk, of inodes that have lost their last name
  std::vector<OpenFile> open;     // the same inodes, if a process has them open: not in `freed`
  std::uint64_t left = 0;         // entries that stay
  std::vector<std::string> some;  // the paths of some of them; as in `open`, below the directory
  int code = 0;                   // -errno, if the system has refused to remove one of them

  [[nodiscard]] bool complete() const { return left == 0 && code == 0; }
};

// Which entries a removal may remove.
class Removable {
 public:
  virtual ~Removable() = default;
  [[nodiscard]] virtual bool allows(const TreeWalk::Place& place, const FileState& state) const = 0;
};

// Those of a survey, as they were then. The survey must outlive it.
class AsSurveyed : public Removable {
 public:
  AsSurveyed(const Survey& survey, CtimeRule ctime) : marks_(survey.marks), ctime_(ctime) {}
  [[nodiscard]] bool allows(const TreeWalk::Place& place, const FileState& state) const override;

 private:
  const std::vector<Mark>& marks_;
  const CtimeRule ctime_;
};

// All that has not changed since a moment, and the directories from which a killed run has removed
// something. For what that run has left of a directory that it had examined and given a name of its
// own: what was there then is in the plan.
class NotChangedSince : public Removable {
 public:
  explicit NotChangedSince(std::int64_t moment_ns) : moment_ns_(moment_ns) {}
  [[nodiscard]] bool allows(const TreeWalk::Place& place, const FileState& state) const override;

 private:
  const std::int64_t moment_ns_;
};

// Removes everything below an open directory, but not the directory itself. With an executor,
// subdirectories are removed by several threads at once.
[[nodiscard]] Removed remove_contents(int folder, const Removable& removable,
                                      const MutatingOps& ops, const Processes& processes,
                                      rt::Executor* executor);

}  // namespace fathom::act
