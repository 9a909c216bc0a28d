// search_answer: a search by name below a directory, in one pass over the tree.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/answer.h"
#include "api/directory_queries.h"
#include "api/entry_json.h"
#include "api/measured_bytes.h"
#include "fathom/base/page.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/find.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/name_matcher.h"

namespace fathom::web {

namespace {

constexpr std::size_t kLongestQuery = 255;

struct SearchQuestion {
  std::string text;
  std::string path;
  std::optional<fs::Kind> kind;
  Measure measure;
  Span span;
};

// The number of UTF-8 characters: counts all bytes except continuation bytes.
std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80;
  }));
}

SearchQuestion search_question(Parameters& given) {
  SearchQuestion asked;
  asked.text = given.bytes("q");
  if (asked.text.empty()) given.set_error("q is missing: the text or pattern to search for");
  if (characters_of(asked.text) > kLongestQuery) {
    given.set_error("q is longer than " + std::to_string(kLongestQuery) + " characters");
  }
  asked.path = given.bytes("path");
  asked.kind = given.choice<fs::Kind>("kind", {{"directory", fs::Kind::directory},
                                               {"file", fs::Kind::file},
                                               {"symlink", fs::Kind::symlink},
                                               {"other", fs::Kind::other}});
  asked.measure = measure_of(given);
  asked.span = span_of(given);
  return asked;
}

std::uint32_t depth_of(const fs::Tree& tree, fs::NodeId node) {
  const fs::DirId parent = tree.parent(node);
  return parent == fs::kNoDir ? 0 : tree.depth(parent) + 1;
}

struct Match {
  std::uint64_t bytes;
  Place place;
};

// Largest first, then by name, then by depth, and then by path. Comparing the depth first makes the
// slow comparison of paths rare.
struct MatchLess {
  const fs::Tree& tree;

  bool operator()(const Match& a, const Match& b) const {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    const fs::NodeId node_a = a.place.node;
    const fs::NodeId node_b = b.place.node;
    const int order = fs::own_name(tree, node_a).compare(fs::own_name(tree, node_b));
    if (order != 0) return order < 0;
    const std::uint32_t depth_a = depth_of(tree, node_a);
    const std::uint32_t depth_b = depth_of(tree, node_b);
    return depth_a != depth_b ? depth_a < depth_b : tree.path_less(node_a, node_b);
  }
};

// Descends from a place, and passes down whether a directory is in one that matches, so that
// entries need not check their ancestors.
class Search {
 public:
  Search(const Snapshot& snapshot, const SearchQuestion& asked, const rt::CancelToken& cancel)
      : cancel_(cancel),
        snapshot_(snapshot),
        tree_(snapshot.tree()),
        asked_(asked),
        measured_(snapshot, asked.measure),
        matcher_(asked.text),
        page_(asked.span.offset, asked.span.limit, {snapshot.tree()}) {}

  void below(Place place) {
    look_at_contents(place, false);
    while (!waiting_.empty() && !cancel_.cancelled()) {
      const Directory next = waiting_.back();
      waiting_.pop_back();
      look_at_contents({tree_.node(next.id), next.id}, next.counted);
    }
  }

  [[nodiscard]] std::uint64_t matches() const { return matches_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::vector<Match> take_page() { return page_.take(); }

 private:
  struct Directory {
    fs::DirId id;
    bool counted;  // its bytes are included in those of a matching directory
  };

  void look_at_contents(Place directory, bool counted) {
    const bool roots = directory.above_roots();
    for_each_child(snapshot_, directory, [&](Place place) {
      if (cancel_.cancelled()) return;
      const auto name = roots ? fs::own_name(tree_, place.node) : tree_.name(place.node);
      const bool matches = matcher_(name) && is_meant(place.node);
      if (matches) add(place, counted);
      if (place.directory != fs::kNoDir) waiting_.push_back({place.directory, counted || matches});
    });
  }

  // Skips entries that are counted at another path, where the search finds them, and entries that
  // are filtered out.
  [[nodiscard]] bool is_meant(fs::NodeId node) const {
    if (asked_.kind && tree_.kind(node) != *asked_.kind) return false;
    return (tree_.flags(node) & fs::kUncounted) == 0;
  }

  void add(Place place, bool counted) {
    const std::uint64_t bytes = measured_(place);
    ++matches_;
    if (!counted) bytes_ = base::saturating_add(bytes_, bytes);
    page_.add({bytes, place});
  }

  const rt::CancelToken& cancel_;
  const Snapshot& snapshot_;
  const fs::Tree& tree_;
  const SearchQuestion& asked_;
  const MeasuredBytes measured_;
  fs::NameMatcher matcher_;
  base::Page<Match, MatchLess> page_;
  std::vector<Directory> waiting_;
  std::uint64_t matches_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

Answer search_answer(const Snapshot* snapshot, Parameters& given, const rt::CancelToken& cancel) {
  const SearchQuestion asked = search_question(given);
  if (auto refused = refusal(snapshot, given)) return *std::move(refused);
  const std::optional<Place> place = snapshot->find(asked.path);
  if (!place) return not_found(asked.path);
  Search search(*snapshot, asked, cancel);
  search.below(*place);
  if (cancel.cancelled()) return error_answer(503, "busy", "nobody waits for the answer");
  fs::JsonWriter json(kEnoughJson);
  json.begin_object();
  json.number("generation", snapshot->generation());
  json.bytes("query", asked.text);
  json.bytes("path", snapshot->path(*place));
  json.number("matches", search.matches());
  json.number("bytes", search.bytes());
  json.number("offset", asked.span.offset);
  json.begin_array("results");
  for (const Match& match : search.take_page()) {
    if (!json.wanted()) break;
    json.begin_object();
    json.bytes("path", snapshot->path(match.place));
    write_entry(json, facts_of(*snapshot, match.place));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return {.body = std::move(json).take()};
}

}  // namespace fathom::web
