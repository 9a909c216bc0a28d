// children_answer: the entries of a directory, sorted, one page of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/answer.h"
#include "api/children_question.h"
#include "api/directory_queries.h"
#include "api/entry_json.h"
#include "api/measured_bytes.h"
#include "fathom/base/page.h"
#include "fathom/fs/json_writer.h"

namespace fathom::web {

namespace {

using Sort = ChildrenQuestion::Sort;

// The rank of each owner among the entries of a place: owners with names by name, then the others
// by number.
class OwnerRanks {
 public:
  OwnerRanks(const Snapshot& snapshot, Place place) : tree_(snapshot.tree()) {
    for_each_child(snapshot, place, [&](Place child) { ranks_.emplace(tree_.uid(child.node), 0); });
    struct Owner {
      Owners::Name name;
      std::uint32_t id;
    };
    std::vector<Owner> owners;
    for (const auto& [id, rank] : ranks_) owners.push_back({snapshot.owners().user(id), id});
    std::sort(owners.begin(), owners.end(), [](const Owner& a, const Owner& b) {
      if (a.name.has_value() != b.name.has_value()) return a.name.has_value();
      return a.name != b.name ? a.name < b.name : a.id < b.id;
    });
    std::uint64_t next = 0;
    for (const Owner& owner : owners) ranks_[owner.id] = next++;
  }

  [[nodiscard]] std::uint64_t of(Place place) const { return ranks_.at(tree_.uid(place.node)); }

 private:
  const fs::Tree& tree_;
  std::unordered_map<std::uint32_t, std::uint64_t> ranks_;
};

// A child with its sort key as a number, computed once. Names decide between equal keys; the key of
// a name is its first eight bytes.
struct Row {
  std::uint64_t key;
  Place place;
};

std::uint64_t beginning_of(std::string_view name) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    number = number << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0U);
  }
  return number;
}

// Preserves the order of times; unknown times come first.
std::uint64_t number_of(std::int64_t time) {
  return static_cast<std::uint64_t>(time) ^ std::uint64_t{1} << 63;
}

class RowLess {
 public:
  RowLess(const fs::Tree& tree, const ChildrenQuestion& asked)
      : tree_(tree),
        descending_(asked.descending),
        descending_names_(descending_ && asked.sort == Sort::name) {}

  bool operator()(const Row& a, const Row& b) const {
    if (a.key != b.key) return (a.key < b.key) != descending_;
    return descending_names_ ? name_less(tree_, b.place.node, a.place.node)
                             : name_less(tree_, a.place.node, b.place.node);
  }

 private:
  const fs::Tree& tree_;
  bool descending_;
  bool descending_names_;
};

// The entry with that name.
std::optional<Place> child_named(const Snapshot& snapshot, Place place, std::string_view name) {
  std::optional<Place> found;
  for_each_child(snapshot, place, [&](Place child) {
    if (!found && snapshot.tree().name(child.node) == name) found = child;
  });
  return found;
}

// The number of entries before the wanted one.
template <class KeyOf>
std::uint64_t rank_of(const Snapshot& snapshot, const ChildrenQuestion& asked, Place place,
                      Place wanted, KeyOf key_of) {
  const RowLess less(snapshot.tree(), asked);
  const Row row{key_of(wanted), wanted};
  std::uint64_t before = 0;
  for_each_child(snapshot, place, [&](Place child) {
    if (less({key_of(child), child}, row)) ++before;
  });
  return before;
}

struct Rows {
  std::uint64_t offset = 0;
  std::uint64_t wanted = 0;  // index of the wanted entry in rows, if there is one
  std::vector<Row> rows = {};
};

// wanted: an entry to show, whatever the offset; nothing: the offset counts. Pages follow each
// other from 0, so that the page around an entry is one that a client gets when it reads on.
template <class KeyOf>
Rows rows_by(const Snapshot& snapshot, const ChildrenQuestion& asked, Place place,
             const std::optional<Place>& wanted, KeyOf key_of) {
  const std::uint64_t rank = wanted ? rank_of(snapshot, asked, place, *wanted, key_of) : 0;
  const std::uint64_t in_page = rank % asked.span.limit;
  const std::uint64_t offset = wanted ? rank - in_page : asked.span.offset;
  base::Page<Row, RowLess> page(offset, asked.span.limit, RowLess(snapshot.tree(), asked));
  for_each_child(snapshot, place, [&](Place child) { page.add({key_of(child), child}); });
  return {offset, in_page, page.take()};
}

Rows rows_of(const Snapshot& snapshot, const ChildrenQuestion& asked, Place place,
             const std::optional<Place>& wanted) {
  const fs::Tree& tree = snapshot.tree();
  switch (asked.sort) {
    case Sort::size:
      return rows_by(snapshot, asked, place, wanted, MeasuredBytes(snapshot, asked.measure));
    case Sort::name:
      return rows_by(snapshot, asked, place, wanted,
                     [&](Place child) { return beginning_of(tree.name(child.node)); });
    case Sort::entries:
      return rows_by(snapshot, asked, place, wanted,
                     [&](Place child) { return counts_of(snapshot, child).entries(); });
    case Sort::modified:
      return rows_by(snapshot, asked, place, wanted,
                     [&](Place child) { return number_of(tree.mtime(child.node)); });
    case Sort::owner: {
      const OwnerRanks ranks(snapshot, place);
      return rows_by(snapshot, asked, place, wanted, [&](Place child) { return ranks.of(child); });
    }
  }
  return {};
}

// Writes the rows from `next` on, and sets it to the end of those that fit.
std::string page_json(const Snapshot& snapshot, Place place, const Rows& found, std::size_t& next) {
  fs::JsonWriter json(kEnoughJson);
  json.begin_object();
  json.number("generation", snapshot.generation());
  json.bytes("path", snapshot.path(place));
  json.begin_object("entry");
  write_entry(json, facts_of(snapshot, place));
  json.end_object();
  json.number("total", child_count(snapshot, place));
  json.number("offset", found.offset + next);
  json.begin_array("children");
  for (; next < found.rows.size() && json.wanted(); ++next) {
    json.begin_object();
    write_entry(json, facts_of(snapshot, found.rows[next].place));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

Answer no_such_name(const std::string& name) {
  return error_answer(404, "not_found", "the directory has no entry named " + name);
}

}  // namespace

Answer children_answer(const Snapshot* snapshot, Parameters& given) {
  const ChildrenQuestion asked = children_question(given);
  if (auto refused = refusal(snapshot, given)) return *std::move(refused);
  const std::optional<Place> place = snapshot->find(asked.path);
  if (!place) return not_found(asked.path);
  std::optional<Place> wanted;
  if (asked.around) {
    wanted = child_named(*snapshot, *place, *asked.around);
    if (!wanted) return no_such_name(*asked.around);
  }
  const Rows found = rows_of(*snapshot, asked, *place, wanted);
  std::size_t next = 0;
  std::string text = page_json(*snapshot, *place, found, next);
  if (wanted && found.wanted >= next) {  // the rows before it are too long
    next = found.wanted;
    text = page_json(*snapshot, *place, found, next);
  }
  return {.body = std::move(text)};
}

}  // namespace fathom::web
