// Directories: a stack of open directories, and a counting sort by depth.

#include "snapshot/directories.h"

#include <algorithm>
#include <array>

#include "fathom/fs/utf8.h"

namespace fathom::store {

namespace {

// In the order of DirectoryColumn.
constexpr std::array kDirectoryColumns = {
    Column{"id", ColumnType::uint64, Encoding::delta},
    Column{"parent_id", ColumnType::uint64, Encoding::delta, true},
    Column{"subtree_end", ColumnType::uint64, Encoding::delta},
    Column{"depth", ColumnType::uint32, Encoding::dictionary},
    Column{"dir", ColumnType::string, Encoding::front, true},
    Column{"name", ColumnType::string, Encoding::front},
    Column{"name_raw", ColumnType::binary, Encoding::front, true},
    Column{"flags", ColumnType::uint8, Encoding::dictionary},
    Column{"first_subdir", ColumnType::uint64, Encoding::delta},
    Column{"subdirs", ColumnType::uint64, Encoding::delta},
    Column{"fs_uuid", ColumnType::string, Encoding::dictionary, true},
    Column{"ino", ColumnType::uint64, Encoding::delta},
    Column{"btime_ns", ColumnType::int64, Encoding::delta, true},
    Column{"lower_bound", ColumnType::uint8, Encoding::dictionary},
    Column{"files", ColumnType::uint64, Encoding::delta},
    Column{"dirs", ColumnType::uint64, Encoding::delta},
    Column{"symlinks", ColumnType::uint64, Encoding::delta},
    Column{"others", ColumnType::uint64, Encoding::delta},
    Column{"disk_bytes", ColumnType::int64, Encoding::delta},
    Column{"apparent_bytes", ColumnType::int64, Encoding::delta},
    Column{"own_hash", ColumnType::binary, Encoding::front},
    Column{"subtree_hash", ColumnType::binary, Encoding::front},
};

// A reader often wants a few directories, not thousands.
constexpr std::size_t kPageDirectories = 1024;

Hash128 hash_of_subtree(const Hash128& own, const Hash128& subdirectories) {
  const HashBytes bytes = bytes_of(own);
  return hash_of_subdirectory({bytes.data(), bytes.size()}, subdirectories);
}

}  // namespace

const Schema& directories_schema() {
  static constexpr Schema kSchema = {.mark = "fathom.dirs/1",
                                     .columns = kDirectoryColumns,
                                     .sorted_by = static_cast<std::size_t>(DirectoryColumn::depth),
                                     .page_rows = kPageDirectories};
  return kSchema;
}

// ---- Collecting

void Directories::add(const EntrySource& source, std::span<const Row> rows, std::uint64_t first,
                      std::span<const Hash128> hashes) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    close_before(first + i);
    if (rows[i].directory != fs::kNoDir) open(source, rows[i], first + i);
    // A root that is not a directory is in none.
    fs::Counts& counts = open_.empty() ? whole_ : directories_[open_.back()].counts;
    counts.add(source.tree, rows[i].node);
    if (!open_.empty()) directories_[open_.back()].own += hashes[i];
  }
}

void Directories::open(const EntrySource& source, const Row& row, std::uint64_t id) {
  const std::string_view name = source.name_of(row);
  const fs::NodeId node = row.node;
  Directory directory{.id = id,
                      .end = row.end,
                      .parent_id = row.parent,
                      .inode = source.tree.inode(node),
                      .btime = source.tree.times(node).btime,
                      .name = names_.size(),
                      .name_bytes = name.size(),
                      .path_bytes = name.size(),
                      .depth = row.depth,
                      .filesystem = filesystem_of(source, source.tree.device(node)),
                      .flags = source.tree.flags(node),
                      .lower_bound = (source.tree.flags(node) & fs::kIncomplete) != 0};
  names_ += name;
  if (!open_.empty()) {
    Directory& parent = directories_[open_.back()];
    ++parent.subdirs;
    directory.parent = open_.back();
    directory.path_bytes += parent.path_bytes + 1;
  }
  open_.push_back(static_cast<Index>(directories_.size()));
  directories_.push_back(directory);
}

// Closes the directories that do not contain the row.
void Directories::close_before(std::uint64_t row) {
  while (!open_.empty() && directories_[open_.back()].end <= row) {
    Directory& closed = directories_[open_.back()];
    open_.pop_back();
    closed.subtree = hash_of_subtree(closed.own, closed.subtree);
    if (closed.parent == kNone) {
      whole_.add(closed.counts);
      continue;
    }
    Directory& parent = directories_[closed.parent];
    parent.subtree += hash_of_subdirectory(name_of(closed), closed.subtree);
    parent.counts.add(closed.counts);
    if (closed.lower_bound) parent.lower_bound = true;
  }
}

std::uint32_t Directories::filesystem_of(const EntrySource& source, std::uint64_t device) {
  const auto found = source.filesystems.find(device);
  if (found == source.filesystems.end()) return 0;
  const auto known = std::find(filesystems_.begin() + 1, filesystems_.end(), found->second);
  const auto index = static_cast<std::uint32_t>(known - filesystems_.begin());
  if (known == filesystems_.end()) filesystems_.push_back(found->second);
  return index;
}

// ---- Writing

void Directories::write(TableWriter& table, std::size_t group_rows) {
  close_before(kNoRow);
  const std::vector<Index> order = breadth_first();
  std::vector<std::deque<std::string>> texts(table.lanes());
  for (std::size_t row = 0; row < order.size() && table.wanted(); row += group_rows) {
    const auto rows = std::span(order).subspan(row, std::min(group_rows, order.size() - row));
    table.add(rows.size(), [&](std::size_t column, std::size_t lane, Values& values) {
      texts[lane].clear();
      fill(static_cast<DirectoryColumn>(column), rows, values, texts[lane]);
    });
  }
}

// The directories by depth; those of the same depth stay in preorder.
std::vector<Directories::Index> Directories::breadth_first() {
  std::vector<std::size_t> next;  // by depth: the place of the next directory
  for (const Directory& directory : directories_) {
    if (directory.depth + 1 >= next.size()) next.resize(directory.depth + 2);
    ++next[directory.depth + 1];
  }
  for (std::size_t depth = 1; depth < next.size(); ++depth) next[depth] += next[depth - 1];
  std::uint64_t first_subdir = next.size() > 1 ? next[1] : 0;
  std::vector<Index> order(directories_.size());
  for (Index i = 0; i < directories_.size(); ++i) order[next[directories_[i].depth]++] = i;
  for (const Index i : order) {
    directories_[i].first_subdir = first_subdir;
    first_subdir += directories_[i].subdirs;
  }
  return order;
}

void Directories::fill(DirectoryColumn column, std::span<const Index> rows, Values& values,
                       std::deque<std::string>& texts) const {
  const auto numbers = [&](auto number) {
    for (const Index row : rows) {
      values.numbers.push_back(static_cast<std::int64_t>(number(directories_[row])));
    }
  };
  const auto known = [&](bool present, auto value, auto& into) {
    values.present.push_back(present ? 1 : 0);
    if (present) into.push_back(value);
  };
  switch (column) {
    case DirectoryColumn::id:
      return numbers([](const Directory& of) { return of.id; });
    case DirectoryColumn::parent_id:
      for (const Index row : rows) {
        const std::uint64_t parent = directories_[row].parent_id;
        known(parent != kNoRow, static_cast<std::int64_t>(parent), values.numbers);
      }
      return;
    case DirectoryColumn::subtree_end:
      return numbers([](const Directory& of) { return of.end; });
    case DirectoryColumn::depth:
      return numbers([](const Directory& of) { return static_cast<std::int32_t>(of.depth); });
    case DirectoryColumn::dir:
      return fill_dir(rows, values, texts);
    case DirectoryColumn::name:
      for (const Index row : rows) {
        values.texts.push_back(as_text(name_of(directories_[row]), texts));
      }
      return;
    case DirectoryColumn::name_raw:
      for (const Index row : rows) {
        const std::string_view name = name_of(directories_[row]);
        known(!fs::is_utf8(name), name, values.texts);
      }
      return;
    case DirectoryColumn::flags:
      return numbers([](const Directory& of) { return of.flags; });
    case DirectoryColumn::first_subdir:
      return numbers([](const Directory& of) { return of.first_subdir; });
    case DirectoryColumn::subdirs:
      return numbers([](const Directory& of) { return of.subdirs; });
    case DirectoryColumn::fs_uuid:
      for (const Index row : rows) {
        const std::uint32_t index = directories_[row].filesystem;
        known(index != 0, std::string_view(filesystems_[index]), values.texts);
      }
      return;
    case DirectoryColumn::ino:
      return numbers([](const Directory& of) { return of.inode; });
    case DirectoryColumn::btime_ns:
      for (const Index row : rows) {
        const std::int64_t btime = directories_[row].btime;
        known(btime != fs::kUnknownTime, btime, values.numbers);
      }
      return;
    case DirectoryColumn::lower_bound:
      return numbers([](const Directory& of) { return of.lower_bound ? 1 : 0; });
    case DirectoryColumn::files:
      return numbers([](const Directory& of) { return of.counts.files; });
    case DirectoryColumn::dirs:
      return numbers([](const Directory& of) { return of.counts.dirs; });
    case DirectoryColumn::symlinks:
      return numbers([](const Directory& of) { return of.counts.symlinks; });
    case DirectoryColumn::others:
      return numbers([](const Directory& of) { return of.counts.others; });
    case DirectoryColumn::disk_bytes:
      return numbers([](const Directory& of) { return capped(of.counts.disk_bytes); });
    case DirectoryColumn::apparent_bytes:
      return numbers([](const Directory& of) { return capped(of.counts.apparent_bytes); });
    case DirectoryColumn::own_hash:
      return fill_hashes(&Directory::own, rows, values, texts);
    case DirectoryColumn::subtree_hash:
      return fill_hashes(&Directory::subtree, rows, values, texts);
  }
}

void Directories::fill_hashes(Hash128 Directory::*hash, std::span<const Index> rows, Values& values,
                              std::deque<std::string>& texts) const {
  constexpr std::size_t kBytes = sizeof(HashBytes);
  std::string& all = texts.emplace_back();
  all.reserve(rows.size() * kBytes);
  for (const Index row : rows) {
    const HashBytes bytes = bytes_of(directories_[row].*hash);
    all.append(bytes.data(), bytes.size());
    values.texts.push_back(std::string_view(all).substr(all.size() - kBytes));
  }
}

// The path of the directory that contains each; none for a root, and if it is very long.
void Directories::fill_dir(std::span<const Index> rows, Values& values,
                           std::deque<std::string>& texts) const {
  Index last = kNone;
  std::string_view text;
  for (const Index row : rows) {
    const Index parent = directories_[row].parent;
    const bool present = parent != kNone && directories_[parent].path_bytes <= kMostPath;
    values.present.push_back(present ? 1 : 0);
    if (!present) continue;
    if (parent != last) {
      const std::string path = path_of(parent);
      text = texts.emplace_back(fs::is_utf8(path) ? path : fs::to_escaped_utf8(path));
      last = parent;
    }
    values.texts.push_back(text);
  }
}

std::string Directories::path_of(Index directory) const {
  std::vector<Index> above;
  for (Index at = directory; at != kNone; at = directories_[at].parent) above.push_back(at);
  std::string path;
  for (auto at = above.rbegin(); at != above.rend(); ++at) {
    if (!path.empty() && path.back() != '/') path += '/';
    path += name_of(directories_[*at]);
  }
  return path;
}

}  // namespace fathom::store
