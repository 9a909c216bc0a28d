// DupReport: the table of names, and what all formats share.

#include "fathom/fs/dup_report.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace fathom::fs {

namespace {

// A name of a file of a group: its own, or one of its links.
struct GroupName {
  std::uint32_t group;
  std::uint32_t file;
  std::uint32_t first;  // the first file of the group with the same storage
  std::uint32_t link;   // kOwn: the file's own name
};
constexpr std::uint32_t kOwn = 0xffffffff;

std::vector<GroupName> all_names(const DupReport& report) {
  std::vector<GroupName> names;
  for (std::uint32_t g = 0; g < report.groups(); ++g) {
    const std::vector<DuplicateFile>& files = report.same.groups[g].files;
    std::unordered_map<std::uint32_t, std::uint32_t> firsts;  // by storage
    for (std::uint32_t f = 0; f < files.size(); ++f) {
      const std::uint32_t first = firsts.try_emplace(files[f].storage, f).first->second;
      names.push_back({g, f, first, kOwn});
      for (std::uint32_t l = 0; l < files[f].links.size(); ++l) names.push_back({g, f, first, l});
    }
  }
  return names;
}

}  // namespace

std::size_t DupReport::groups() const {
  return top == 0 ? same.groups.size() : std::min(same.groups.size(), top);
}

std::optional<std::size_t> DupReport::kept_in(std::size_t group) const {
  if (kept.empty()) return 0;
  if (kept[group] == kNoneKept) return std::nullopt;
  return kept[group];
}

Table duplicate_names(const DupReport& report) {
  std::vector<Column> columns = {
      {"group", "Group", CellType::count},
      {"size", "Size", CellType::bytes},
      {"wasted_bytes", "Wasted", CellType::bytes},
      {"keep", "Keep", CellType::flag},
      {"path", "Path", CellType::path},
      {"hardlink_of", "Link of", CellType::path},
      {"storage_of", "Shares with", CellType::path},
  };
  std::vector<GroupName> names = all_names(report);
  const std::size_t rows = names.size();
  auto read = [report, names = std::move(names)](std::size_t row, std::vector<Cell>& cells) {
    const GroupName name = names[row];
    const Tree& tree = report.scan.tree;
    const DuplicateGroup& group = report.same.groups[name.group];
    const DuplicateFile& file = group.files[name.file];
    const bool own = name.link == kOwn;
    const bool kept = name.file == report.kept_in(name.group);
    add_cells(cells, std::uint64_t{name.group} + 1, group.size, group.wasted_bytes, kept,
              tree.path(own ? file.node : file.links[name.link]),
              own ? Cell() : Cell(tree.path(file.node)),
              name.first == name.file ? Cell() : Cell(tree.path(group.files[name.first].node)));
  };
  return {{"duplicates", "Duplicates"}, std::move(columns), rows, std::move(read)};
}

}  // namespace fathom::fs
