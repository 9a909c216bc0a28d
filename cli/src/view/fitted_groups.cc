// FittedGroups: takes groups while there is room.

#include "view/fitted_groups.h"

#include <algorithm>

namespace fathom::cli {

namespace {

class Fitting {
 public:
  Fitting(const GroupList& directories, const GroupList& files, const RowsAround& around)
      : directories_(directories), files_(files), around_(around) {}

  [[nodiscard]] FittedGroups take(std::size_t rows) const {
    FittedGroups taken;
    bool marked = false;
    while (true) {
      const bool directory = is_directory_next(taken);
      const GroupList& list = directory ? directories_ : files_;
      std::size_t& count = directory ? taken.directories : taken.files;
      if (count == list.groups.size()) return taken;
      const GroupRows& group = list.groups[count];
      std::size_t needed = group.rows + (group.marked && !marked ? around_.marks : 0);
      const bool is_first = taken.directories + taken.files == 0;
      if (count == 0) needed += around_.heading + (is_first ? 0 : around_.between);
      if (needed > rows && !is_first) return taken;
      if (needed > rows) taken.fits = false;
      rows -= std::min(needed, rows);
      marked = marked || group.marked;
      ++count;
    }
  }

  [[nodiscard]] bool is_all(const FittedGroups& taken) const {
    return taken.directories == directories_.size && taken.files == files_.size;
  }

 private:
  [[nodiscard]] bool is_directory_next(const FittedGroups& taken) const {
    if (taken.directories == directories_.groups.size()) return false;
    return taken.files == files_.groups.size() ||
           directories_.groups[taken.directories].wasted_bytes >=
               files_.groups[taken.files].wasted_bytes;
  }

  const GroupList& directories_;
  const GroupList& files_;
  const RowsAround& around_;
};

}  // namespace

FittedGroups fit_groups(const GroupList& directories, const GroupList& files,
                        const RowsAround& around, std::size_t rows) {
  const Fitting fitting(directories, files, around);
  const FittedGroups all = fitting.take(rows);
  if (fitting.is_all(all)) return all;
  return fitting.take(rows - std::min(rows, around.closing));
}

}  // namespace fathom::cli
