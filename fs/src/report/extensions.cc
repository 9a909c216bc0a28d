// extensions: totals per extension, in a hash table with open addressing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/extension.h"
#include "fathom/fs/report.h"
#include "report/columns.h"
#include "report/tally.h"

namespace fathom::fs {

namespace {

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

// A tally per extension. Hundreds of thousands of names have few different extensions, so lookups
// do not allocate: extensions are views into the tree's names.
class ExtensionTallies {
 public:
  struct Group {
    std::uint64_t hash;
    std::string_view extension;  // with the case in which it occurred first
    Tally tally;
  };

  Tally& of(std::string_view extension) {
    if (2 * groups_.size() >= slots_.size()) grow();
    const std::uint64_t hash = hash_of(extension);
    std::uint32_t& slot = find(hash, extension);
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(groups_.size());
      groups_.push_back({hash, extension, {}});
    }
    return groups_[slot].tally;
  }

  [[nodiscard]] std::vector<Group> take() { return std::move(groups_); }

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;

  // FNV-1a, with its high bits, which are better distributed, folded onto those that find() uses.
  static std::uint64_t hash_of(std::string_view extension) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : extension) {
      hash = (hash ^ static_cast<unsigned char>(lower(c))) * 0x100000001b3;
    }
    return hash ^ hash >> 32;
  }

  // The slot of the extension, or the free one for it.
  std::uint32_t& find(std::uint64_t hash, std::string_view extension) {
    for (std::size_t at = hash;; ++at) {
      std::uint32_t& slot = slots_[at & (slots_.size() - 1)];
      if (slot == kFree) return slot;
      const Group& group = groups_[slot];
      if (group.hash == hash && same_extension(group.extension, extension)) return slot;
    }
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(2 * slots_.size(), 256), kFree);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      find(groups_[i].hash, groups_[i].extension) = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<Group> groups_;
  std::vector<std::uint32_t> slots_;  // indexes in groups_; a power of two, at most half in use
};

struct ExtensionRow {
  std::string extension;
  Tally tally;
};

std::vector<ExtensionRow> rows_of(const ReportInput& input) {
  const Tree& tree = input.tree();
  const Measure measure = input.measure();
  ExtensionTallies tallies;
  input.part().for_each_node([&](NodeId node) {
    if (tree.kind(node) != Kind::file || (tree.flags(node) & kRepeated) != 0) return;
    tallies.of(extension_of(tree.name(node))).add(tree, node);
  });
  std::vector<ExtensionRow> rows;
  for (const auto& group : tallies.take()) rows.push_back({lowered(group.extension), group.tally});
  std::sort(rows.begin(), rows.end(), [measure](const ExtensionRow& a, const ExtensionRow& b) {
    const std::uint64_t bytes_a = bytes_of(a.tally, measure);
    const std::uint64_t bytes_b = bytes_of(b.tally, measure);
    return bytes_a != bytes_b ? bytes_a > bytes_b : a.extension < b.extension;
  });
  return rows;
}

}  // namespace

Table extensions(const ReportInput& input) {
  const Measure measure = input.measure();
  std::vector<ExtensionRow> found = rows_of(input);
  Tally all;
  for (const ExtensionRow& row : found) all.add(row.tally);
  const std::uint64_t whole = bytes_of(all, measure);
  std::vector<Column> columns = {
      {"extension", "Extension", CellType::path},
      {"files", "Files", CellType::count, 1},
      disk_bytes_column(measure),
      apparent_bytes_column(measure),
      {"share", "Share", CellType::share, 2},
  };
  const std::size_t rows = found.size();
  auto read = [found = std::move(found), measure, whole](std::size_t row,
                                                         std::vector<Cell>& cells) {
    const auto& [extension, tally] = found[row];
    add_cells(cells, extension, tally.files, tally.disk_bytes, tally.apparent_bytes,
              share_of(bytes_of(tally, measure), whole));
  };
  return {report_info(ReportKind::extensions).head, std::move(columns), rows, std::move(read)};
}

}  // namespace fathom::fs
