// DirectoryListing: the rows of a directory, their order, and what is known about those on a page.

#include "fathom/store/directory_listing.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/page.h"
#include "snapshot/directory_table.h"
#include "snapshot/entry_rows.h"
#include "snapshot/list_files.h"

namespace fathom::store {

namespace {

constexpr std::uint64_t kNoDirectory = std::numeric_limits<std::uint64_t>::max();

// What a path names: a directory, another entry, or the place above all roots.
struct Found {
  std::uint64_t directory = kNoDirectory;  // its row in dirs.parquet
  std::optional<std::uint64_t> entry;      // the row in entries.parquet; nothing above all roots
};

// An entry of the directory.
struct Item {
  std::uint64_t key = 0;
  std::uint64_t name = 0;                  // its place in the order of the names
  std::uint64_t row = 0;                   // in entries.parquet
  std::uint64_t directory = kNoDirectory;  // in dirs.parquet
};

struct ItemLess {
  bool descending = false;
  bool descending_names = false;

  bool operator()(const Item& a, const Item& b) const {
    if (a.key != b.key) return (a.key < b.key) != descending;
    return (a.name < b.name) != descending_names;
  }
};

constexpr std::uint64_t in_order(std::int64_t number) {
  return static_cast<std::uint64_t>(number) ^ std::uint64_t{1} << 63;
}

// The place of each user in the order of their names.
std::map<std::uint32_t, std::uint64_t> ranks_of(const std::map<std::uint32_t, std::string>& users) {
  std::vector<std::pair<std::string_view, std::uint32_t>> by_name;
  for (const auto& [id, name] : users) by_name.emplace_back(name, id);
  std::sort(by_name.begin(), by_name.end());
  std::map<std::uint32_t, std::uint64_t> ranks;
  for (const auto& [name, id] : by_name) ranks.emplace(id, ranks.size());
  return ranks;
}

std::string without_extra_slashes(std::string_view path) {
  std::string text;
  for (const char byte : path) {
    if (byte != '/' || text.empty() || text.back() != '/') text += byte;
  }
  if (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

class Lister {
 public:
  Lister(const Snapshot::Files& files, const ListingOptions& options)
      : meta_(files.meta),
        label_(files.entries.label()),
        options_(options),
        table_(files.directories),
        rows_(files.entries),
        all_rows_(files.entries.get().rows()) {}

  DirectoryListing list() {
    DirectoryListing listing;
    const Found found = find();
    listing.path = path_of(found);
    listing.entry = describe(found);
    if (found.entry && found.directory == kNoDirectory) return listing;
    enter(found);
    listing.total = listing.entry.entries;
    const std::vector<Item> items = page();
    listing.entries = describe(items);
    return listing;
  }

 private:
  [[noreturn]] void damaged_entries(const std::string& why) const {
    throw base::Error(label_ + " is damaged: " + why);
  }

  // ---- Places

  Found find() {
    const std::string& path = options_.path;
    if (path.empty()) return meta_.roots.size() == 1 ? root(meta_.roots.front()) : Found{};
    if (const auto row = table_.find(path)) return directory(*row);
    if (std::find(meta_.roots.begin(), meta_.roots.end(), path) != meta_.roots.end()) {
      return root(path);
    }
    const std::size_t slash = path.rfind('/');
    if (slash != std::string::npos && slash + 1 < path.size()) {
      if (const auto parent = table_.find(path.substr(0, std::max<std::size_t>(slash, 1)))) {
        enter(directory(*parent));
        if (const auto row = find_other(path.substr(slash + 1))) return {.entry = *row};
      }
    }
    not_found();
  }

  [[noreturn]] void not_found() const {
    throw NotFound(options_.path + " is not in the snapshot " + meta_.id);
  }

  Found directory(std::uint64_t row) {
    const RowInterval entries = table_.entries(row);
    if (entries.end > all_rows_) damaged_entries("it lacks rows");
    return {.directory = row, .entry = entries.begin};
  }

  // A root may be another entry than a directory.
  Found root(const std::string& path) {
    if (const auto row = table_.find(path)) return directory(*row);
    enter(Found{});
    for (const RowInterval& rows : others_) {
      for (std::uint64_t row = rows.begin; row < rows.end; ++row) {
        if (name_of(row) == path) return {.entry = row};
      }
    }
    not_found();
  }

  std::string path_of(const Found& found) const {
    if (!found.entry) return "";
    return without_extra_slashes(options_.path.empty() ? meta_.roots.front() : options_.path);
  }

  // Finds the rows of the directory: subdirectories, and between them, other entries.
  void enter(const Found& in) {
    RowInterval inside = {.begin = 0, .end = all_rows_};
    subdirectories_ = in.entry ? table_.subdirectories(in.directory) : table_.roots();
    if (in.entry) {
      inside = table_.entries(in.directory);
      ++inside.begin;
    }
    others_.clear();
    std::uint64_t next = inside.begin;
    for (std::uint64_t row = subdirectories_.begin; row < subdirectories_.end; ++row) {
      const RowInterval subtree = table_.entries(row);
      if (subtree.begin < next || subtree.end > inside.end) {
        damaged_entries("its directories overlap");
      }
      if (subtree.begin > next) others_.push_back({.begin = next, .end = subtree.begin});
      next = subtree.end;
    }
    if (next < inside.end) others_.push_back({.begin = next, .end = inside.end});
    root_names_.clear();
    if (!in.entry) order_roots();
  }

  // Roots are in the order of the scan.
  void order_roots() {
    std::vector<std::pair<std::string, std::uint64_t>> roots;
    for (std::uint64_t row = subdirectories_.begin; row < subdirectories_.end; ++row) {
      roots.emplace_back(table_.name(row), table_.entries(row).begin);
    }
    for (const RowInterval& rows : others_) {
      for (std::uint64_t row = rows.begin; row < rows.end; ++row) {
        roots.emplace_back(name_of(row), row);
      }
    }
    std::sort(roots.begin(), roots.end());
    for (const auto& [name, row] : roots) root_names_.emplace(row, root_names_.size());
  }

  // Entries that are not directories are in the order of their names.
  std::optional<std::uint64_t> find_other(std::string_view name) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    for (const RowInterval& rows : others_) end += rows.size();
    while (begin < end) {
      const std::uint64_t middle = begin + (end - begin) / 2;
      const std::uint64_t row = nth_other(middle);
      const int compared = name_of(row).compare(name);
      if (compared == 0) return row;
      (compared < 0 ? begin : end) = compared < 0 ? middle + 1 : middle;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t nth_other(std::uint64_t index) const {
    for (const RowInterval& rows : others_) {
      if (index < rows.size()) return rows.begin + index;
      index -= rows.size();
    }
    return all_rows_;
  }

  std::string name_of(std::uint64_t row) {
    const RowInterval only[] = {{.begin = row, .end = row + 1}};
    std::string name;
    read(EntryColumn::name, only,
         [&](std::size_t, const Values& values, std::size_t value) { name = values.texts[value]; });
    read(EntryColumn::name_raw, only,
         [&](std::size_t, const Values& values, std::size_t value) { name = values.texts[value]; });
    return name;
  }

  // Calls take(index of the row among these rows, values, index of the value).
  template <class Take>
  void read(EntryColumn column, std::span<const RowInterval> rows, const Take& take) {
    std::size_t index = 0;
    for (const EntryRows::Part& part : rows_.parts(rows)) {
      rows_.each(
          column, part,
          [&](const Values& values, std::size_t value) { take(index++, values, value); },
          [&] { ++index; });
    }
  }

  // ---- The order

  using ItemPage = base::Page<Item, ItemLess>;

  std::vector<Item> page() {
    const bool by_name = options_.order == ListingOrder::name;
    ItemPage page(
        options_.offset, options_.limit,
        {.descending = options_.descending, .descending_names = options_.descending && by_name});
    switch (options_.order) {
      case ListingOrder::name:
        add_others(page);
        add_subdirectories(page, [](std::uint64_t) { return std::uint64_t{0}; });
        break;
      case ListingOrder::size:
        add_sizes(page);
        add_subdirectories(
            page, [&](std::uint64_t row) { return bytes_of(counts_of(row), options_.measure); });
        break;
      case ListingOrder::entries:
        add_others_by(page, EntryColumn::flags, [](std::int64_t flags) {
          return (flags & fs::kUncounted) == 0 ? std::uint64_t{1} : 0;
        });
        add_subdirectories(page, [&](std::uint64_t row) { return counts_of(row).entries(); });
        break;
      case ListingOrder::modified:
        add_all_by(page, EntryColumn::mtime_ns, in_order(fs::kUnknownTime),
                   [](std::int64_t time) { return in_order(base::whole_seconds(time)); });
        break;
      case ListingOrder::owner:
        add_owners(page);
        break;
    }
    return page.take();
  }

  // Rows of entries.parquet are in the order of the names, except for roots.
  [[nodiscard]] Item item(std::uint64_t row, std::uint64_t key,
                          std::uint64_t directory = kNoDirectory) const {
    const auto root = root_names_.find(row);
    return {.key = key,
            .name = root == root_names_.end() ? row : root->second,
            .row = row,
            .directory = directory};
  }

  void add_others(ItemPage& page) {
    for (const RowInterval& rows : others_) {
      for (std::uint64_t row = rows.begin; row < rows.end; ++row) page.add(item(row, 0));
    }
  }

  template <class KeyOf>
  void add_subdirectories(ItemPage& page, const KeyOf& key_of) {
    for (std::uint64_t row = subdirectories_.begin; row < subdirectories_.end; ++row) {
      page.add(item(table_.entries(row).begin, key_of(row), row));
    }
  }

  // The key of each entry that is not a directory is made from a column that has a value in each.
  template <class KeyOf>
  void add_others_by(ItemPage& page, EntryColumn column, const KeyOf& key_of) {
    const std::vector<std::uint64_t> numbers = numbers_of(column, others_, 0);
    std::size_t index = 0;
    for (const RowInterval& rows : others_) {
      for (std::uint64_t row = rows.begin; row < rows.end; ++row) {
        page.add(item(row, key_of(static_cast<std::int64_t>(numbers[index++]))));
      }
    }
  }

  void add_sizes(ItemPage& page) {
    if (options_.measure == fs::Measure::disk) {
      return add_others_by(page, EntryColumn::charged_blocks,
                           [&](std::int64_t blocks) { return disk_bytes_of(blocks); });
    }
    const std::vector<std::uint64_t> flags = numbers_of(EntryColumn::flags, others_, 0);
    std::size_t index = 0;
    add_others_by(page, EntryColumn::size, [&](std::int64_t size) {
      const bool charged = (flags[index++] & (fs::kUncounted | fs::kExtraLink)) == 0;
      return charged ? size_of(size) : 0;
    });
  }

  // The key of each entry, also of directories, is made from a column.
  template <class KeyOf>
  void add_all_by(ItemPage& page, EntryColumn column, std::uint64_t missing, const KeyOf& key_of) {
    std::vector<RowInterval> rows = others_;
    for (std::uint64_t row = subdirectories_.begin; row < subdirectories_.end; ++row) {
      const std::uint64_t entry = table_.entries(row).begin;
      rows.push_back({.begin = entry, .end = entry + 1});
    }
    std::sort(rows.begin(), rows.end(),
              [](const RowInterval& a, const RowInterval& b) { return a.begin < b.begin; });
    std::vector<std::uint64_t> keys;
    read(column, rows, [&](std::size_t index, const Values& values, std::size_t value) {
      keys.resize(index, missing);
      keys.push_back(key_of(values.numbers[value]));
    });
    std::uint64_t directory = subdirectories_.begin;
    std::size_t index = 0;
    for (const RowInterval& interval : rows) {
      for (std::uint64_t row = interval.begin; row < interval.end; ++row, ++index) {
        const std::uint64_t key = index < keys.size() ? keys[index] : missing;
        const bool is_directory =
            directory < subdirectories_.end && table_.entries(directory).begin == row;
        page.add(item(row, key, is_directory ? directory++ : kNoDirectory));
      }
    }
  }

  void add_owners(ItemPage& page) {
    const std::map<std::uint32_t, std::uint64_t> ranks = ranks_of(meta_.users);
    const auto key_of = [&](std::uint32_t id) {
      const auto rank = ranks.find(id);
      return rank == ranks.end() ? ranks.size() + id : rank->second;
    };
    add_all_by(page, EntryColumn::uid, key_of(fs::kUnknownOwner),
               [&](std::int64_t id) { return key_of(static_cast<std::uint32_t>(id)); });
  }

  std::vector<std::uint64_t> numbers_of(EntryColumn column, std::span<const RowInterval> rows,
                                        std::uint64_t missing) {
    std::vector<std::uint64_t> numbers;
    for (const EntryRows::Part& part : rows_.parts(rows)) {
      rows_.each(
          column, part,
          [&](const Values& values, std::size_t value) {
            numbers.push_back(static_cast<std::uint64_t>(values.numbers[value]));
          },
          [&] { numbers.push_back(missing); });
    }
    return numbers;
  }

  [[nodiscard]] std::uint64_t size_of(std::int64_t number) const {
    if (number < 0) damaged_entries("a size is negative");
    return static_cast<std::uint64_t>(number);
  }

  [[nodiscard]] std::uint64_t disk_bytes_of(std::int64_t blocks) const {
    return fs::Entry{.blocks = size_of(blocks)}.disk_bytes();
  }

  // ---- What is known

  ListedEntry describe(const Found& found) {
    if (found.entry) {
      return std::move(describe({{.row = *found.entry, .directory = found.directory}}).front());
    }
    ListedEntry above;
    above.counts = meta_.totals;
    above.lower_bound = !meta_.complete();
    enter(found);
    above.entries = subdirectories_.size();
    for (const RowInterval& rows : others_) above.entries += rows.size();
    return above;
  }

  std::vector<ListedEntry> describe(const std::vector<Item>& items) {
    std::vector<std::size_t> by_row(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) by_row[i] = i;
    std::sort(by_row.begin(), by_row.end(),
              [&](std::size_t a, std::size_t b) { return items[a].row < items[b].row; });
    std::vector<ListedEntry> entries(items.size());
    std::vector<std::size_t> others;  // indexes of those that are not directories
    for (const std::size_t i : by_row) {
      if (items[i].directory == kNoDirectory) {
        others.push_back(i);
      } else {
        describe_directory(items[i].directory, entries[i]);
      }
    }
    add_inodes(items, by_row, entries);
    add_names(items, others, entries);
    add_sizes(items, others, entries);
    return entries;
  }

  void describe_directory(std::uint64_t row, ListedEntry& entry) {
    entry.name = table_.name(row);
    entry.kind = fs::Kind::directory;
    entry.counts = counts_of(row);
    entry.lower_bound = table_.number(DirectoryColumn::lower_bound, row) != 0;
    entry.flags = static_cast<std::uint8_t>(table_.number(DirectoryColumn::flags, row));
    const RowInterval subdirectories = table_.subdirectories(row);
    // Whatever is below it is below a subdirectory, or directly in it.
    std::uint64_t below = 0;
    for (std::uint64_t one = subdirectories.begin; one < subdirectories.end; ++one) {
      below += table_.entries(one).size();
    }
    const std::uint64_t all = table_.entries(row).size() - 1;
    if (below > all) damaged_entries("its directories overlap");
    entry.entries = subdirectories.size() + all - below;
  }

  fs::Counts counts_of(std::uint64_t row) {
    const auto number = [&](DirectoryColumn column) {
      return static_cast<std::uint64_t>(table_.number(column, row));
    };
    return {.files = number(DirectoryColumn::files),
            .dirs = number(DirectoryColumn::dirs),
            .symlinks = number(DirectoryColumn::symlinks),
            .others = number(DirectoryColumn::others),
            .disk_bytes = number(DirectoryColumn::disk_bytes),
            .apparent_bytes = number(DirectoryColumn::apparent_bytes)};
  }

  static std::vector<RowInterval> intervals_of(const std::vector<Item>& items,
                                               const std::vector<std::size_t>& which) {
    std::vector<RowInterval> rows;
    for (const std::size_t i : which) {
      rows.push_back({.begin = items[i].row, .end = items[i].row + 1});
    }
    return rows;
  }

  void add_inodes(const std::vector<Item>& items, const std::vector<std::size_t>& by_row,
                  std::vector<ListedEntry>& entries) {
    const std::vector<RowInterval> rows = intervals_of(items, by_row);
    for (const std::size_t i : by_row) {
      entries[i].inode.emplace();
      entries[i].inode->uid = entries[i].inode->gid = fs::kUnknownOwner;
      entries[i].inode->mtime = fs::kUnknownTime;
    }
    const auto each = [&](EntryColumn column, const auto& set) {
      read(column, rows, [&](std::size_t index, const Values& values, std::size_t value) {
        set(*entries[by_row[index]].inode, values.numbers[value]);
      });
    };
    each(EntryColumn::mode, [](fs::Entry& inode, std::int64_t mode) {
      inode.mode = static_cast<std::uint16_t>(mode);
    });
    each(EntryColumn::nlink, [](fs::Entry& inode, std::int64_t links) {
      inode.links = static_cast<std::uint32_t>(links);
    });
    each(EntryColumn::uid,
         [](fs::Entry& inode, std::int64_t id) { inode.uid = static_cast<std::uint32_t>(id); });
    each(EntryColumn::gid,
         [](fs::Entry& inode, std::int64_t id) { inode.gid = static_cast<std::uint32_t>(id); });
    each(EntryColumn::mtime_ns,
         [](fs::Entry& inode, std::int64_t time) { inode.mtime = base::whole_seconds(time); });
  }

  void add_names(const std::vector<Item>& items, const std::vector<std::size_t>& others,
                 std::vector<ListedEntry>& entries) {
    const std::vector<RowInterval> rows = intervals_of(items, others);
    const auto set = [&](std::size_t index, const Values& values, std::size_t value) {
      entries[others[index]].name = values.texts[value];
    };
    read(EntryColumn::name, rows, set);
    read(EntryColumn::name_raw, rows, set);  // if there are bytes that are not UTF-8
  }

  // The rules of fs::Totals for one entry that is not a directory.
  void add_sizes(const std::vector<Item>& items, const std::vector<std::size_t>& others,
                 std::vector<ListedEntry>& entries) {
    const std::vector<RowInterval> rows = intervals_of(items, others);
    const std::vector<std::uint64_t> flags = numbers_of(EntryColumn::flags, rows, 0);
    const std::vector<std::uint64_t> sizes = numbers_of(EntryColumn::size, rows, 0);
    const std::vector<std::uint64_t> blocks = numbers_of(EntryColumn::charged_blocks, rows, 0);
    for (std::size_t i = 0; i < others.size(); ++i) {
      ListedEntry& entry = entries[others[i]];
      entry.kind = entry.inode->kind();
      entry.flags = static_cast<std::uint8_t>(flags[i]);
      if ((flags[i] & fs::kUncounted) != 0) continue;
      entry.counts.files = entry.kind == fs::Kind::file ? 1 : 0;
      entry.counts.symlinks = entry.kind == fs::Kind::symlink ? 1 : 0;
      entry.counts.others = entry.kind == fs::Kind::other ? 1 : 0;
      if ((flags[i] & fs::kExtraLink) != 0) continue;
      entry.counts.disk_bytes = disk_bytes_of(static_cast<std::int64_t>(blocks[i]));
      entry.counts.apparent_bytes = size_of(static_cast<std::int64_t>(sizes[i]));
    }
  }

  const SnapshotMeta& meta_;
  const std::string& label_;
  const ListingOptions& options_;
  DirectoryTable table_;
  EntryRows rows_;
  const std::uint64_t all_rows_;
  // Of the directory that was entered last.
  RowInterval subdirectories_;       // rows of dirs.parquet
  std::vector<RowInterval> others_;  // rows of entries.parquet that are not directories
  std::map<std::uint64_t, std::uint64_t> root_names_;  // of roots: Item::name by row
};

}  // namespace

DirectoryListing list_files(const Snapshot::Files& files, const ListingOptions& options) {
  return Lister(files, options).list();
}

DirectoryListing list_directory(const Snapshot& snapshot, const ListingOptions& options) {
  return list_files(snapshot.files(), options);
}

}  // namespace fathom::store
