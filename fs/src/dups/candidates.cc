// Candidates: sorts the files by size, and orders the groups for reading.

#include "dups/candidates.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>
#include <tuple>

#include "dups/buffer_size.h"
#include "dups/files_in_use.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"

namespace fathom::fs {

namespace {

// A file up to this size is read in one piece, and most of its cost is that of opening it.
constexpr std::uint64_t kSmallFile = std::uint64_t{1} << 16;  // bytes
constexpr std::uint64_t kSmallGroup = std::uint64_t{1} << 20;

struct Sized {
  std::uint64_t size;
  std::uint64_t inode;
  NodeId node;
  std::uint32_t name;  // a hash of its name
};

// Some adjacent files of one size.
struct Part {
  std::span<Sized> files;
  std::uint32_t division = Candidates::kWhole;

  [[nodiscard]] std::uint64_t size() const { return files.front().size; }
  [[nodiscard]] bool is_small() const { return size() < kSmallGroup / files.size(); }
};

std::uint32_t name_hash(std::string_view name) {
  return static_cast<std::uint32_t>(XXH3_64bits(name.data(), name.size()));
}

// The largest first; files of equal size by name.
bool by_size_and_name(const Sized& a, const Sized& b) {
  return std::tuple(b.size, a.name, a.inode) < std::tuple(a.size, b.name, b.inode);
}

// On most filesystems this approximates their order on the disk.
bool by_inode(const Sized& a, const Sized& b) {
  return a.inode < b.inode;
}

// Large groups come first, so that the last tasks are small. Small groups are read in the order of
// the scan, which keeps files of one directory close together.
bool in_reading_order(const Part& a, const Part& b) {
  if (a.is_small() != b.is_small()) return b.is_small();
  return a.is_small() ? a.files.front().node < b.files.front().node : a.size() > b.size();
}

// Calls function(files) for each run of adjacent files that the predicate considers alike.
template <class Alike, class Function>
void for_each_run(std::span<Sized> files, const Alike& alike, const Function& function) {
  for (auto first = files.begin(); first != files.end();) {
    const auto end = std::find_if_not(first, files.end(),
                                      [&](const Sized& file) { return alike(*first, file); });
    function(std::span(first, end));
    first = end;
  }
}

// Groups of files with the same name, or none if such groups are not worthwhile. Copies of a
// directory have their files under the same names, and files that are close together in one copy
// are close together in the others. Reading by size alone would access the disk in random order.
std::vector<Part> namesakes(std::span<Sized> of_one_size) {
  std::vector<Part> parts;
  if (of_one_size.front().size > kSmallFile) return parts;
  std::size_t with_namesake = 0;
  for_each_run(
      of_one_size, [](const Sized& a, const Sized& b) { return a.name == b.name; },
      [&](std::span<Sized> part) {
        parts.push_back({part});
        if (part.size() > 1) with_namesake += part.size();
      });
  const bool all_fit = std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    return fits_buffer(part.files.size(), part.size());
  });
  if (parts.size() < 2 || with_namesake < of_one_size.size() / 2 || !all_fit) parts.clear();
  return parts;
}

}  // namespace

Candidates::Candidates(const Tree& tree, std::uint64_t min_size) {
  std::vector<Sized> sized;
  std::vector<NodeId> left_out;  // of these, perhaps an extra name is in use
  const FilesInUse in_use(tree);
  const auto add = [&](NodeId node) {
    sized.push_back({tree.size(node), tree.inode(node), node, name_hash(tree.name(node))});
  };
  tree.for_each_node([&](NodeId node) {
    if (tree.kind(node) != Kind::file || (tree.flags(node) & kUncounted) != 0) return;
    if (tree.size(node) < min_size) return;
    const bool is_extra = (tree.flags(node) & kExtraLink) != 0;
    if (!in_use.has(node)) {
      if (!is_extra && tree.links(node) > 1) left_out.push_back(node);
    } else if (is_extra) {
      extra_names_.push_back({tree.device(node), tree.inode(node), node});
    } else {
      add(node);
    }
  });
  std::sort(extra_names_.begin(), extra_names_.end());
  std::vector<NodeId> promoted;
  for (const NodeId node : left_out) {
    const std::vector<NodeId> names = other_names(tree, node);
    if (names.empty()) continue;
    promoted.push_back(*std::min_element(names.begin(), names.end(),
                                         [&](NodeId a, NodeId b) { return tree.path_less(a, b); }));
    add(promoted.back());
  }
  std::sort(promoted.begin(), promoted.end());
  std::erase_if(extra_names_, [&](const Name& name) {
    return std::binary_search(promoted.begin(), promoted.end(), name.node);
  });
  std::sort(sized.begin(), sized.end(), by_size_and_name);

  std::vector<Part> parts;
  for_each_run(
      sized, [](const Sized& a, const Sized& b) { return a.size == b.size; },
      [&](std::span<Sized> of_one_size) {
        if (of_one_size.size() < 2) return;
        std::vector<Part> divided = namesakes(of_one_size);
        if (divided.empty()) {
          std::sort(of_one_size.begin(), of_one_size.end(), by_inode);
          parts.push_back({of_one_size});
          return;
        }
        for (Part& part : divided) {
          part.division = static_cast<std::uint32_t>(divisions_.size());
          parts.push_back(part);
        }
        divisions_.push_back(
            {of_one_size.front().size, static_cast<std::uint32_t>(divided.size())});
      });
  std::sort(parts.begin(), parts.end(), in_reading_order);
  for (const Part& part : parts) {
    groups_.push_back({part.size(), static_cast<std::uint32_t>(files_.size()),
                       static_cast<std::uint32_t>(part.files.size()), part.division});
    for (const Sized& file : part.files) files_.push_back(candidate(tree, file.node));
  }
}

Candidate Candidates::candidate(const Tree& tree, NodeId node) {
  const std::uint64_t device = tree.device(node);
  // There are few devices, and usually it is the last one.
  auto known = std::find(devices_.rbegin(), devices_.rend(), device);
  if (known == devices_.rend()) {
    if (devices_.size() > std::numeric_limits<std::uint16_t>::max()) {
      throw base::Error("the files are on too many filesystems: more than 65,536");
    }
    devices_.push_back(device);
    known = devices_.rbegin();
  }
  Candidate result;
  result.inode = tree.inode(node);
  result.mtime_ns = base::to_nanoseconds(tree.mtime(node));
  result.node = node;
  result.device = static_cast<std::uint16_t>(devices_.rend() - known - 1);
  const auto entry = tree.entry(node);
  result.sparse = entry.disk_bytes() < entry.apparent_bytes();
  return result;
}

void Candidates::renumber_devices(const std::map<std::uint64_t, std::uint64_t>& now) {
  for (std::uint64_t& device : devices_) {
    if (const auto known = now.find(device); known != now.end()) device = known->second;
  }
}

std::vector<NodeId> Candidates::other_names(const Tree& tree, NodeId node) const {
  std::vector<NodeId> names;
  if (tree.links(node) < 2) return names;
  const auto [begin, end] = std::equal_range(extra_names_.begin(), extra_names_.end(),
                                             Name{tree.device(node), tree.inode(node), node});
  for (auto name = begin; name != end; ++name) names.push_back(name->node);
  return names;
}

}  // namespace fathom::fs
