// EntryCondition: one case for each field that is known.

#include "fathom/fs/entry_condition.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "fathom/fs/extension.h"

namespace fathom::fs {

// The facts of one entry, on the stack of the thread that asks.
class EntryFacts : public WhereFacts {
 public:
  EntryFacts(const EntryCondition& condition, std::string_view name, const Entry& entry)
      : condition_(condition), name_(name.substr(name.rfind('/') + 1)), entry_(entry) {}

  [[nodiscard]] WhereValue value(WhereField field) const override {
    const bool is_directory = entry_.kind() == Kind::directory;
    switch (field) {
      case WhereField::size:
        return entry_.apparent_bytes();
      case WhereField::used:
        return entry_.disk_bytes();
      case WhereField::age:
        return is_directory ? WhereValue() : age();
      case WhereField::mtime:
        return entry_.mtime == kUnknownTime ? WhereValue() : entry_.mtime;
      case WhereField::owner:
        return owner(entry_.uid, condition_.user_, condition_.users_);
      case WhereField::group:
        return owner(entry_.gid, condition_.group_, condition_.groups_);
      case WhereField::uid:
        return id(entry_.uid);
      case WhereField::gid:
        return id(entry_.gid);
      case WhereField::mode:
        return entry_.knows_permissions() ? std::uint64_t{entry_.mode & 07777U} : WhereValue();
      case WhereField::kind:
        return kind_word(entry_.kind());
      case WhereField::ext:
        text_ = is_directory ? std::string() : std::string(extension_of(name_));
        std::transform(text_.begin(), text_.end(), text_.begin(), lower);
        return std::string_view(text_);
      case WhereField::name:
        return name_;
      case WhereField::links:
        return entry_.links == kManyLinks ? WhereValue() : std::uint64_t{entry_.links};
      default:
        return {};
    }
  }

 private:
  [[nodiscard]] WhereValue age() const {
    std::int64_t seconds = 0;
    const bool known = entry_.mtime != kUnknownTime &&
                       !__builtin_sub_overflow(condition_.now_, entry_.mtime, &seconds);
    return known ? seconds : WhereValue();
  }

  [[nodiscard]] static WhereValue id(std::uint32_t number) {
    return number == kUnknownOwner ? WhereValue() : std::uint64_t{number};
  }

  [[nodiscard]] WhereValue owner(std::uint32_t number, const EntryCondition::NameOf& look_up,
                                 EntryCondition::Names& known) const {
    if (number == kUnknownOwner) return {};
    text_ = condition_.name_of(number, look_up, known);
    return std::string_view(text_);
  }

  const EntryCondition& condition_;
  const std::string_view name_;
  const Entry& entry_;
  mutable std::string text_;  // of the last answer
};

EntryCondition::EntryCondition(Where where, NameOf user, NameOf group, std::int64_t now)
    : where_(std::move(where)), user_(std::move(user)), group_(std::move(group)), now_(now) {}

bool EntryCondition::selects(std::string_view name, const Entry& entry) const {
  return where_.selects(EntryFacts(*this, name, entry), now_);
}

bool EntryCondition::knows(WhereField field) {
  switch (field) {
    case WhereField::newest:
    case WhereField::path:
    case WhereField::depth:
    case WhereField::entries:
    case WhereField::rule:
    case WhereField::cls:
      return false;
    default:
      return true;
  }
}

// An id without a name is called by its number, as ls does.
std::string EntryCondition::name_of(std::uint32_t id, const NameOf& look_up, Names& known) const {
  const std::lock_guard lock(mutex_);
  auto found = known.find(id);
  if (found == known.end()) {
    found = known.emplace(id, look_up(id).value_or(std::to_string(id))).first;
  }
  return found->second;
}

}  // namespace fathom::fs
