// Findings: collects the results of all threads into a Duplicates.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "dups/candidates.h"
#include "dups/names_now.h"
#include "dups/paths.h"
#include "dups/recollection.h"
#include "fathom/base/mutex.h"
#include "fathom/fs/duplicates.h"

namespace fathom::fs {

// Any thread may call it.
class Findings {
 public:
  using FileNumber = std::uint32_t;  // index in candidates.files()

  struct Counts {
    std::uint64_t groups = 0;
    std::uint64_t wasted_bytes = 0;
  };

  // `names`: of a saved scan, what its names lead to now; otherwise null.
  // `recollection`: null if there is none.
  Findings(const Tree& tree, const Paths& paths, const Candidates& candidates,
           const NamesNow* names, Recollection* recollection,
           const std::function<void(const DuplicateGroup&)>& found)
      : tree_(tree),
        paths_(paths),
        candidates_(candidates),
        names_(names),
        recollection_(recollection),
        found_(found) {}

  // Two or more files that are equal. Files that are known to be equal to them are added.
  void add_group(std::uint64_t size, std::span<const FileNumber> files);

  // Known contents of which no group was added. Call it after the comparison.
  void add_known_groups();

  // A file that cannot be compared: the operation failed, or the file changed. Reported once per
  // file.
  void add_error(FileNumber file, const std::string& path, const char* operation, int code);
  void add_changed(FileNumber file);

  [[nodiscard]] Counts counts();

  // What later searches may know. Call it when all threads are done.
  [[nodiscard]] ComparedFiles learned();

  // Returns all results, sorted. Call it once, when all threads are done.
  [[nodiscard]] Duplicates take();

 private:
  [[nodiscard]] std::vector<FileNumber> with_known(std::span<const FileNumber> files);
  [[nodiscard]] DuplicateFile make_file(std::uint64_t size, FileNumber number) const;
  void sum_up(DuplicateGroup& group) const;
  void number_storages(DuplicateGroup& group);
  bool may_share_extents(const DuplicateFile& file);

  const Tree& tree_;
  const Paths& paths_;
  const Candidates& candidates_;
  const NamesNow* const names_;
  Recollection* const recollection_;
  const std::function<void(const DuplicateGroup&)>& found_;

  base::Mutex mutex_ = base::named_mutex("dups: findings");  // guards what follows
  Duplicates result_;
  std::unordered_set<FileNumber> dropped_;
  std::map<std::uint64_t, bool> may_share_extents_;  // by device
};

}  // namespace fathom::fs
