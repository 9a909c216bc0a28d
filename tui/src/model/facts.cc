// Facts: the passes over the tree.

#include "model/facts.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace fathom::tui {

namespace {

constexpr std::int64_t kDay = 24 * 60 * 60;

}  // namespace

Facts::Facts(fs::Scan scan, std::int64_t now, const fs::OwnerNames& names)
    : scan_(std::move(scan)),
      now_(now),
      totals_(scan_.tree),
      children_(scan_.tree),
      newest_(scan_.tree, now + kDay) {
  find_roots();
  find_owners(names);
  group_excluded();
}

void Facts::find_roots() {
  tree().for_each_directory([&](fs::DirId id) {
    if (tree().parent_of(id) == fs::kNoDir) root_directories_.push_back(id);
    incomplete_ = incomplete_ || totals_.lower_bound(id);
  });
  for (const fs::NodeId node : tree().roots()) {
    if (node != fs::kNoNode && tree().kind(node) != fs::Kind::directory) {
      other_roots_.push_back(node);
    }
  }
  if (scan_.roots.size() <= 1 && root_directories_.size() == 1) top_ = root_directories_.front();
}

void Facts::find_owners(const fs::OwnerNames& names) {
  std::uint32_t last_uid = fs::kUnknownOwner;
  std::uint32_t last_gid = fs::kUnknownOwner;
  owners_.emplace(last_uid, "-");
  groups_.emplace(last_gid, "-");
  const auto add = [](Names& known, std::uint32_t id, const fs::OwnerNames::NameOf& name_of) {
    const auto [place, is_new] = known.try_emplace(id);
    if (is_new) place->second = name_of(id).value_or(std::to_string(id));
  };
  // Neighbours usually have the same owners.
  tree().for_each_node([&](fs::NodeId node) {
    const std::uint32_t uid = tree().uid(node);
    if (uid != last_uid) add(owners_, last_uid = uid, names.user);
    const std::uint32_t gid = tree().gid(node);
    if (gid != last_gid) add(groups_, last_gid = gid, names.group);
  });
}

void Facts::group_excluded() {
  excluded_.resize(scan_.excluded.size());
  std::iota(excluded_.begin(), excluded_.end(), 0U);
  std::sort(excluded_.begin(), excluded_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const fs::ExcludedEntry& left = scan_.excluded[a];
    const fs::ExcludedEntry& right = scan_.excluded[b];
    return left.in != right.in ? left.in < right.in : left.name < right.name;
  });
}

Items Facts::in(fs::DirId directory) const {
  if (directory == fs::kNoDir) return {root_directories_, other_roots_, {}};
  const auto in = [&](std::uint32_t index) { return scan_.excluded[index].in; };
  const auto first = std::partition_point(excluded_.begin(), excluded_.end(),
                                          [&](std::uint32_t i) { return in(i) < directory; });
  const auto last = std::partition_point(first, excluded_.end(),
                                         [&](std::uint32_t i) { return in(i) == directory; });
  return {children_.directories(directory), children_.others(directory), {first, last}};
}

std::string Facts::path(fs::DirId directory) const {
  return directory == fs::kNoDir ? "" : tree().path(tree().node(directory));
}

fs::Counts Facts::below(fs::DirId directory) const {
  return directory == fs::kNoDir ? totals_.whole() : totals_.below(directory);
}

bool Facts::lower_bound(fs::DirId directory) const {
  if (scan_.running || scan_.cancelled) return true;
  return directory == fs::kNoDir ? incomplete_ : totals_.lower_bound(directory);
}

std::string Facts::error_of(fs::NodeId node) const {
  const std::string path = tree().path(node);
  const auto found = std::partition_point(  // they are sorted by path
      scan_.errors.begin(), scan_.errors.end(),
      [&](const fs::ScanError& error) { return error.path < path; });
  return found != scan_.errors.end() && found->path == path ? fs::message_of(*found) : "";
}

fs::DirId Facts::directory_at(fs::NodeId node) const {
  if (tree().kind(node) != fs::Kind::directory) return fs::kNoDir;
  const fs::DirId parent = tree().parent(node);
  const std::span<const fs::DirId> among = parent == fs::kNoDir
                                               ? std::span<const fs::DirId>(root_directories_)
                                               : children_.directories(parent);
  const auto found = std::find_if(among.begin(), among.end(),
                                  [&](fs::DirId id) { return tree().node(id) == node; });
  return found == among.end() ? fs::kNoDir : *found;
}

}  // namespace fathom::tui
