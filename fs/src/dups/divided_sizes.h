// DividedSizes: finds equal files across the groups of a size.
//
// If the files of a size are divided into several groups, each group is compared alone, and its
// distinct contents are hashed. Only contents whose hash occurs in another group have to be read
// again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dups/candidates.h"
#include "dups/file_class.h"
#include "dups/findings.h"

namespace fathom::fs {

// Any thread may call add().
class DividedSizes {
 public:
  DividedSizes(const Candidates& candidates, Findings& findings);
  ~DividedSizes();

  // Adds the blocks of a group of a divided size, which has been read whole. After the last group
  // of the size, equal files of one group are added to the findings, and the classes of files that
  // must be compared across groups are returned.
  [[nodiscard]] std::vector<FileClass> add(const Candidates::Group& group,
                                           std::span<const std::span<std::byte>> blocks);

  // Adds equal files of one group that still wait for other groups to the findings. Call it at the
  // end of a cancelled search.
  void end_early();

 private:
  struct Division;

  std::vector<FileClass> end(Division& division);

  Findings& findings_;
  std::vector<std::unique_ptr<Division>> divisions_;  // as the candidates have; each has a mutex
};

}  // namespace fathom::fs
