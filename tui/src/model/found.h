// Found: the entries of the whole tree that a query matches.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/condition.h"
#include "model/facts.h"

namespace fathom::tui {

struct Query {
  enum class Kind : std::uint8_t { name, extension, user, group, modified, condition };

  Kind kind = Kind::name;
  std::string text = {};  // a text or a pattern, as fs::NameMatcher takes it; or an extension
  std::uint32_t id = 0;   // of the user or the group
  std::int64_t from = 0;  // the first second, and the last
  std::int64_t until = 0;
  std::shared_ptr<const Condition> condition = {};
  std::string words = {};  // what the user sees

  friend bool operator==(const Query&, const Query&) = default;
};

struct Found {
  Query query;
  std::vector<fs::DirId> directories;
  std::vector<fs::NodeId> others;

  [[nodiscard]] Items items() const { return {directories, others, {}}; }
};

// All that match. Directories match names and conditions only, because a report counts each entry
// by itself.
[[nodiscard]] Found find_all(const Facts& facts, const Query& query);

// The same for a longer name: looks only at what was found before.
[[nodiscard]] Found find_among(const Facts& facts, const Found& before, const Query& query);

}  // namespace fathom::tui
