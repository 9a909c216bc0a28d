// The columns of entries.parquet.

#include "snapshot/entry_columns.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "fathom/fs/extension.h"
#include "fathom/fs/kind_words.h"
#include "fathom/fs/utf8.h"

namespace fathom::store {

namespace {

// In the order of EntryColumn. The encodings were chosen by size: with the default of most writers,
// a dictionary, subtree_end alone would take 4 bytes per entry.
constexpr std::array kColumns = {
    Column{"id", ColumnType::uint64, Encoding::delta},
    Column{"parent_id", ColumnType::uint64, Encoding::delta, true},
    Column{"subtree_end", ColumnType::uint64, Encoding::delta},
    Column{"dir", ColumnType::string, Encoding::front, true},
    Column{"name", ColumnType::string, Encoding::front},
    Column{"name_raw", ColumnType::binary, Encoding::front, true},
    Column{"ext", ColumnType::string, Encoding::dictionary},
    Column{"type", ColumnType::string, Encoding::dictionary},
    Column{"mode", ColumnType::uint16, Encoding::dictionary},
    Column{"flags", ColumnType::uint8, Encoding::dictionary},
    Column{"depth", ColumnType::uint32, Encoding::dictionary},
    Column{"size", ColumnType::int64, Encoding::dictionary},
    Column{"blocks", ColumnType::int64, Encoding::dictionary},
    Column{"charged_blocks", ColumnType::int64, Encoding::dictionary},
    Column{"fs_uuid", ColumnType::string, Encoding::dictionary, true},
    Column{"dev", ColumnType::uint64, Encoding::dictionary},
    Column{"ino", ColumnType::uint64, Encoding::delta},
    Column{"nlink", ColumnType::uint32, Encoding::dictionary},
    Column{"uid", ColumnType::uint32, Encoding::dictionary, true},
    Column{"gid", ColumnType::uint32, Encoding::dictionary, true},
    Column{"mtime_ns", ColumnType::int64, Encoding::delta, true},
    Column{"ctime_ns", ColumnType::int64, Encoding::delta, true},
    Column{"btime_ns", ColumnType::int64, Encoding::delta, true},
};

// Unsigned numbers are stored as signed ones of the same width.
std::int64_t same_bits(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

template <class Number>
void fill_all(std::span<const Row> rows, Values& values, const Number& number) {
  values.numbers.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) values.numbers[i] = number(rows[i]);
}

// Leaves out a value that means "unknown".
template <class Number>
void fill_known(std::span<const Row> rows, std::int64_t unknown, Values& values,
                const Number& number) {
  values.present.resize(rows.size());
  values.numbers.resize(rows.size());
  std::size_t known = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t value = number(rows[i]);
    values.present[i] = value != unknown ? 1 : 0;
    values.numbers[known] = value;
    known += values.present[i];
  }
  values.numbers.resize(known);
}

}  // namespace

const Schema& entries_schema() {
  static constexpr Schema kSchema = {.mark = "fathom.entries/1",
                                     .columns = kColumns,
                                     .sorted_by = static_cast<std::size_t>(EntryColumn::id)};
  return kSchema;
}

std::string_view as_text(std::string_view bytes, std::deque<std::string>& kept) {
  return fs::is_utf8(bytes) ? bytes : kept.emplace_back(fs::to_escaped_utf8(bytes));
}

std::int64_t capped(std::uint64_t value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, static_cast<std::uint64_t>(kMost)));
}

void EntryValues::fill(EntryColumn column, std::span<const Row> rows, std::uint64_t first,
                       Values& values) {
  values.clear();
  texts_.clear();
  if (is_text(entries_schema().columns[static_cast<std::size_t>(column)].type)) {
    values.texts.reserve(rows.size());
  }
  switch (column) {
    case EntryColumn::id:
      return fill_all(rows, values, [first, &rows](const Row& row) {
        return same_bits(first + static_cast<std::uint64_t>(&row - rows.data()));
      });
    case EntryColumn::parent_id:
      return fill_known(rows, same_bits(kNoRow), values,
                        [](const Row& row) { return same_bits(row.parent); });
    case EntryColumn::subtree_end:
      return fill_all(rows, values, [](const Row& row) { return same_bits(row.end); });
    case EntryColumn::dir:
      return fill_dir(rows, values);
    case EntryColumn::name:
      return fill_name(rows, values);
    case EntryColumn::name_raw:
      return fill_name_raw(rows, values);
    case EntryColumn::ext:
      return fill_ext(rows, values);
    case EntryColumn::type:
      for (const Row& row : rows) values.texts.push_back(to_string(tree_.kind(row.node)));
      return;
    case EntryColumn::mode:
      return fill_all(rows, values, [this](const Row& row) { return tree_.mode(row.node); });
    case EntryColumn::flags:
      return fill_all(rows, values, [this](const Row& row) { return tree_.flags(row.node); });
    case EntryColumn::depth:
      return fill_all(rows, values, [](const Row& row) { return row.depth; });
    case EntryColumn::size:
      return fill_all(rows, values,
                      [this](const Row& row) { return capped(tree_.size(row.node)); });
    case EntryColumn::blocks:
      return fill_all(rows, values,
                      [this](const Row& row) { return capped(tree_.blocks(row.node)); });
    case EntryColumn::charged_blocks:
      return fill_all(rows, values, [this](const Row& row) {
        const bool charged = (tree_.flags(row.node) & (fs::kExtraLink | fs::kUncounted)) == 0;
        return charged ? capped(tree_.blocks(row.node)) : 0;
      });
    case EntryColumn::fs_uuid:
      return fill_fs_uuid(rows, values);
    case EntryColumn::dev:
      return fill_all(rows, values,
                      [this](const Row& row) { return same_bits(tree_.device(row.node)); });
    case EntryColumn::ino:
      return fill_all(rows, values,
                      [this](const Row& row) { return same_bits(tree_.inode(row.node)); });
    case EntryColumn::nlink:
      return fill_all(rows, values, [this](const Row& row) {
        return static_cast<std::int32_t>(tree_.links(row.node));
      });
    case EntryColumn::uid:
      return fill_known(rows, -1, values, [this](const Row& row) {
        return static_cast<std::int32_t>(tree_.uid(row.node));
      });
    case EntryColumn::gid:
      return fill_known(rows, -1, values, [this](const Row& row) {
        return static_cast<std::int32_t>(tree_.gid(row.node));
      });
    case EntryColumn::mtime_ns:
      return fill_known(rows, fs::kUnknownTime, values, [this](const Row& row) {
        const std::int64_t exact = tree_.times(row.node).mtime;
        return exact != fs::kUnknownTime ? exact : fs::nanoseconds_if_known(tree_.mtime(row.node));
      });
    case EntryColumn::ctime_ns:
      return fill_known(rows, fs::kUnknownTime, values,
                        [this](const Row& row) { return tree_.times(row.node).ctime; });
    case EntryColumn::btime_ns:
      return fill_known(rows, fs::kUnknownTime, values,
                        [this](const Row& row) { return tree_.times(row.node).btime; });
  }
}

// The path of the directory that contains the entry; none for a root, and if it is very long.
//
// The rows are in preorder, so the path is kept as a stack: a row of depth d is in the directory of
// depth d - 1 that came last.
//
// Neighbours of the same depth are in the same directory.
void EntryValues::fill_dir(std::span<const Row> rows, Values& values) {
  open_path(rows.front());
  std::string_view text;
  std::optional<std::uint32_t> depth;  // of the row before
  for (const Row& row : rows) {
    const bool present = row.depth > 0 && lengths_[row.depth - 1] <= kMostPath;
    values.present.push_back(present ? 1 : 0);
    if (present) {
      if (row.depth != depth) text = path_above(row.depth);
      values.texts.push_back(text);
    }
    if (row.directory != fs::kNoDir) enter(row);
    depth = row.depth;
  }
}

// Makes path_ and lengths_ those of the directories above the row.
void EntryValues::open_path(const Row& row) {
  path_.clear();
  lengths_.clear();
  if (row.parent == kNoRow) return;
  std::vector<fs::NodeId> above;
  for (fs::DirId at = tree_.parent(row.node); at != fs::kNoDir; at = tree_.parent_of(at)) {
    above.push_back(tree_.node(at));
  }
  for (auto node = above.rbegin(); node != above.rend(); ++node) {
    append(source_.name_of(*node, lengths_.empty()));
  }
}

void EntryValues::enter(const Row& row) {
  lengths_.resize(row.depth);
  path_.resize(lengths_.empty() ? 0 : lengths_.back());
  append(source_.name_of(row));
}

void EntryValues::append(std::string_view name) {
  if (path_.size() <= kMostPath) {
    if (!path_.empty() && path_.back() != '/') path_ += '/';
    path_ += name;
  }
  lengths_.push_back(path_.size());
}

// The path of the directory in which an entry of this depth is.
std::string_view EntryValues::path_above(std::uint32_t depth) {
  const auto path = std::string_view(path_).substr(0, lengths_[depth - 1]);
  return texts_.emplace_back(fs::is_utf8(path) ? std::string(path) : fs::to_escaped_utf8(path));
}

void EntryValues::fill_name(std::span<const Row> rows, Values& values) {
  for (const Row& row : rows) {
    values.texts.push_back(as_text(source_.name_of(row), texts_));
  }
}

void EntryValues::fill_name_raw(std::span<const Row> rows, Values& values) {
  for (const Row& row : rows) {
    const std::string_view name = source_.name_of(row);
    const bool utf8 = fs::is_utf8(name);
    values.present.push_back(utf8 ? 0 : 1);
    if (!utf8) values.texts.push_back(name);
  }
}

// In lower case; only files have one.
void EntryValues::fill_ext(std::span<const Row> rows, Values& values) {
  for (const Row& row : rows) {
    const bool file = tree_.kind(row.node) == fs::Kind::file;
    std::string_view text = file ? fs::extension_of(row.name) : std::string_view();
    const auto upper = [](char c) { return fs::lower(c) != c; };
    if (std::any_of(text.begin(), text.end(), upper)) {
      std::string lower(text);
      std::transform(lower.begin(), lower.end(), lower.begin(), fs::lower);
      text = texts_.emplace_back(std::move(lower));
    }
    values.texts.push_back(as_text(text, texts_));
  }
}

void EntryValues::fill_fs_uuid(std::span<const Row> rows, Values& values) {
  const FilesystemIds& filesystems = source_.filesystems;
  auto found = filesystems.end();
  for (const Row& row : rows) {
    const std::uint64_t device = tree_.device(row.node);
    if (found == filesystems.end() || found->first != device) found = filesystems.find(device);
    values.present.push_back(found != filesystems.end() ? 1 : 0);
    if (found != filesystems.end()) values.texts.push_back(found->second);
  }
}

}  // namespace fathom::store
