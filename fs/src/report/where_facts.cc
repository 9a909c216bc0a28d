// TreeFacts: one case for each field.

#include "fathom/fs/where_facts.h"

#include <algorithm>
#include <limits>

#include "fathom/fs/extension.h"
#include "fathom/fs/find.h"

namespace fathom::fs {

namespace {

WhereValue known_id(std::uint32_t id) {
  if (id == kUnknownOwner) return {};
  return std::uint64_t{id};
}

// Stays within the numbers, whatever times a saved scan has.
std::int64_t seconds_between(std::int64_t then, std::int64_t now) {
  std::int64_t between = 0;
  if (!__builtin_sub_overflow(now, then, &between)) return between;
  return then < 0 ? std::numeric_limits<std::int64_t>::max()
                  : std::numeric_limits<std::int64_t>::min();
}

WhereValue known_time(std::int64_t seconds) {
  if (seconds == kUnknownTime) return {};
  return seconds;
}

}  // namespace

WhereValue TreeFacts::newest() const {
  if (directory_ != kNoDir) return known_time(newest_.below(directory_));
  return known_time(tree_.mtime(node_));
}

// An id without a name is called by its number, as ls does.
WhereValue TreeFacts::name_of(std::uint32_t id, const OwnerNames::NameOf& look_up,
                              Names& known) const {
  if (id == kUnknownOwner) return {};
  auto found = known.find(id);
  if (found == known.end()) {
    found = known.emplace(id, look_up(id).value_or(std::to_string(id))).first;
  }
  return std::string_view(found->second);
}

WhereValue TreeFacts::value(WhereField field) const {
  const bool is_directory = directory_ != kNoDir;
  switch (field) {
    case WhereField::size:
      return is_directory ? totals_.below(directory_).apparent_bytes : tree_.size(node_);
    case WhereField::used:
      return is_directory ? totals_.below(directory_).disk_bytes : tree_.entry(node_).disk_bytes();
    case WhereField::age: {
      const WhereValue time = newest();
      const auto* const seconds = std::get_if<std::int64_t>(&time);
      if (seconds == nullptr) return {};
      return seconds_between(*seconds, now_);
    }
    case WhereField::mtime:
      return known_time(tree_.mtime(node_));
    case WhereField::newest:
      return newest();
    case WhereField::owner:
      return name_of(tree_.uid(node_), names_.user, users_);
    case WhereField::group:
      return name_of(tree_.gid(node_), names_.group, groups_);
    case WhereField::uid:
      return known_id(tree_.uid(node_));
    case WhereField::gid:
      return known_id(tree_.gid(node_));
    case WhereField::mode: {
      const Entry entry = tree_.entry(node_);
      if (!entry.knows_permissions()) return {};
      return std::uint64_t{entry.mode & 07777U};
    }
    case WhereField::kind:
      return kind_word(tree_.kind(node_));
    case WhereField::ext:
      text_ = is_directory ? std::string() : std::string(extension_of(own_name(tree_, node_)));
      std::transform(text_.begin(), text_.end(), text_.begin(), lower);
      return std::string_view(text_);
    case WhereField::name:
      return own_name(tree_, node_);
    case WhereField::path:
      text_ = tree_.path(node_);
      return std::string_view(text_);
    case WhereField::depth: {
      const DirId parent = tree_.parent(node_);
      return std::uint64_t{parent == kNoDir ? 0 : tree_.depth(parent) + 1};
    }
    case WhereField::links:
      if (tree_.links(node_) == kManyLinks) return {};
      return std::uint64_t{tree_.links(node_)};
    case WhereField::entries:
      return is_directory ? totals_.below(directory_).entries() : std::uint64_t{1};
    case WhereField::rule:
    case WhereField::cls:
      break;
  }
  return {};
}

}  // namespace fathom::fs
