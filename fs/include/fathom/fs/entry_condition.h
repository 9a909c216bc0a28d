// EntryCondition: a Where about single entries, while a scan runs and no sums are known yet.
//
// Known are the values of the entry itself: a directory has its own size, and no age. Threads may
// ask at the same time; each owner is looked up once.
//
//   const EntryCondition condition(Where::parse("owner = ana and size > 1M"), names.user,
//                                  names.group, now);
//   condition.selects("a.log", entry);

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/base/mutex.h"
#include "fathom/fs/tree.h"
#include "fathom/fs/where.h"

namespace fathom::fs {

class EntryCondition {
 public:
  using NameOf = std::function<std::optional<std::string>(std::uint32_t id)>;

  // `now`: the time to which ages are relative, in seconds since the epoch.
  EntryCondition(Where where, NameOf user, NameOf group, std::int64_t now);

  // `name` may be a path.
  [[nodiscard]] bool selects(std::string_view name, const Entry& entry) const;

  // Whether the field of an entry is known before the scan is complete.
  [[nodiscard]] static bool knows(WhereField field);

 private:
  friend class EntryFacts;
  using Names = std::map<std::uint32_t, std::string>;

  [[nodiscard]] std::string name_of(std::uint32_t id, const NameOf& look_up, Names& known) const;

  const Where where_;
  const NameOf user_;
  const NameOf group_;
  const std::int64_t now_;
  mutable base::Mutex mutex_ = base::named_mutex("owner names");
  mutable Names users_;   // under mutex_
  mutable Names groups_;  // under mutex_
};

}  // namespace fathom::fs
