// GroupSums: three maps, of which only the wanted ones are filled.

#include "diff/group_sums.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "diff/directory_pairs.h"
#include "fathom/fs/extension.h"

namespace fathom::store {

namespace {

std::string extension_key(const EntryFacts& facts, std::string_view name) {
  std::string extension(facts.kind == fs::Kind::file ? fs::extension_of(name) : "");
  std::transform(extension.begin(), extension.end(), extension.begin(), fs::lower);
  return extension;
}

template <class Key>
void exchange_in(std::map<Key, DiffGroup>& groups, const Key& was, std::uint64_t before,
                 const Key& is, std::uint64_t after) {
  const std::uint64_t same = was == is ? std::min(before, after) : 0;
  if (before != same) charge(groups[was].taken, before - same);
  if (after != same) charge(groups[is].added, after - same);
}

template <class Key>
void append_to(std::map<Key, DiffGroup>& groups, const std::map<Key, DiffGroup>& others) {
  for (const auto& [key, other] : others) {
    DiffGroup& group = groups[key];
    charge(group.added, other.added);
    charge(group.taken, other.taken);
  }
}

using OwnerNames = std::map<std::uint32_t, std::string>;

void name_group(DiffGroup& group, std::uint32_t id, const OwnerNames& then, const OwnerNames& now) {
  group.id = id;
  for (const OwnerNames* names : {&then, &now}) {
    if (const auto found = names->find(id); found != names->end()) group.name = found->second;
  }
}

std::vector<DiffGroup> sorted(std::vector<DiffGroup> groups) {
  std::sort(groups.begin(), groups.end(), [](const DiffGroup& a, const DiffGroup& b) {
    const std::uint64_t of_a = base::magnitude(a.change());
    const std::uint64_t of_b = base::magnitude(b.change());
    return of_a != of_b ? of_a > of_b : std::tie(a.name, a.id) < std::tie(b.name, b.id);
  });
  return groups;
}

std::vector<DiffGroup> named(const std::map<std::uint32_t, DiffGroup>& sums, const OwnerNames& then,
                             const OwnerNames& now) {
  std::vector<DiffGroup> groups;
  for (const auto& [id, sum] : sums) name_group(groups.emplace_back(sum), id, then, now);
  return sorted(std::move(groups));
}

}  // namespace

void GroupSums::exchange(const EntryFacts& was, std::string_view was_name, std::uint64_t before,
                         const EntryFacts& is, std::string_view is_name, std::uint64_t after) {
  if (by_owner_) {
    exchange_in(owners_, was.user, before, is.user, after);
    exchange_in(groups_, was.group, before, is.group, after);
  }
  if (by_extension_) {
    exchange_in(extensions_, extension_key(was, was_name), before, extension_key(is, is_name),
                after);
  }
}

void GroupSums::append(const GroupSums& other) {
  append_to(owners_, other.owners_);
  append_to(groups_, other.groups_);
  append_to(extensions_, other.extensions_);
}

void GroupSums::write(const SnapshotMeta& before, const SnapshotMeta& after, Diff& diff) const {
  diff.owners = named(owners_, before.users, after.users);
  diff.groups = named(groups_, before.groups, after.groups);
  std::vector<DiffGroup> extensions;
  for (const auto& [extension, sum] : extensions_) extensions.emplace_back(sum).name = extension;
  diff.extensions = sorted(std::move(extensions));
}

}  // namespace fathom::store
