// duplicates_answer: the state of a search for duplicates, and one page of its groups.

#include "api/duplicates_answer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/directory_queries.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/utf8.h"

namespace fathom::web {

namespace {

constexpr std::size_t kMostFiles = 100;  // files of a group that are named

std::string_view to_string(DuplicatesState state) {
  switch (state) {
    case DuplicatesState::none:
      return "none";
    case DuplicatesState::running:
      return "running";
    case DuplicatesState::complete:
      return "complete";
    case DuplicatesState::interrupted:
      return "interrupted";
    case DuplicatesState::failed:
      return "failed";
  }
  return "";
}

using Groups = std::vector<const fs::DuplicateGroup*>;

// Whether a file of the group has a name at or below the place.
bool is_in(const Snapshot& snapshot, const fs::DuplicateGroup& group, Place place) {
  const auto within = [&](fs::NodeId node) { return is_within(snapshot, node, place); };
  return std::any_of(group.files.begin(), group.files.end(), [&](const fs::DuplicateFile& file) {
    return within(file.node) || std::any_of(file.links.begin(), file.links.end(), within);
  });
}

Groups groups_in(const DuplicateState& state, Place place) {
  Groups groups;
  for (const fs::DuplicateGroup& group : state.found->groups) {
    if (is_in(*state.snapshot, group, place)) groups.push_back(&group);
  }
  return groups;
}

void write_totals(fs::JsonWriter& json, const Groups& groups) {
  std::uint64_t files = 0;
  std::uint64_t wasted = 0;
  for (const fs::DuplicateGroup* const group : groups) {
    files += group->files.size();
    wasted = base::saturating_add(wasted, group->wasted_bytes);
  }
  json.begin_object("totals");
  json.number("groups", groups.size());
  json.number("files", files);
  json.number("wasted_bytes", wasted);
  json.end_object();
}

// Returns whether the response has room for all files that are named. If not, it lists those that
// fit, but at least one.
bool write_group(fs::JsonWriter& json, const fs::Tree& tree, const fs::DuplicateGroup& group) {
  json.begin_object();
  json.number("size", group.size);
  json.number("wasted_bytes", group.wasted_bytes);
  json.number("names", group.files.size());
  json.begin_array("files");
  const std::size_t named = std::min(group.files.size(), kMostFiles);
  std::size_t i = 0;
  for (; i < named && (i == 0 || json.wanted()); ++i) {
    json.begin_object();
    json.bytes("path", tree.path(group.files[i].node));
    json.number("other_names", group.files[i].links.size());
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return i == named;
}

// A group that does not fit is left to the next page. Only the first one of a page can be too large
// for any.
void write_groups(fs::JsonWriter& json, const fs::Tree& tree, const Groups& groups, Span span) {
  const std::size_t first = std::min<std::size_t>(span.offset, groups.size());
  const std::size_t end = first + std::min<std::size_t>(span.limit, groups.size() - first);
  for (std::size_t i = first; i < end && json.wanted(); ++i) {
    const std::size_t before = json.size();
    if (!write_group(json, tree, *groups[i]) && i > first) return json.truncate(before);
  }
}

}  // namespace

Answer duplicates_answer(const DuplicateState& state, Parameters& given) {
  std::string path = given.bytes("path");
  const Span span = span_of(given);
  if (const auto& error = given.error()) return bad_request(*error);
  Groups groups;
  if (state.state == DuplicatesState::complete && state.snapshot != nullptr) {
    const std::optional<Place> place = state.snapshot->find(path);
    if (!place) return not_found(path);
    path = state.snapshot->path(*place);
    groups = groups_in(state, *place);
  }
  fs::JsonWriter json(kEnoughJson);
  json.begin_object();
  json.number("generation", state.generation);
  json.string("state", to_string(state.state));
  json.string("message", fs::to_utf8(state.message));
  json.begin_object("progress");
  json.number("bytes_read", state.progress.bytes);
  json.number("bytes_to_read", state.progress.bytes_total);
  json.end_object();
  json.bytes("path", path);
  write_totals(json, groups);
  json.number("total", groups.size());
  json.number("offset", span.offset);
  json.begin_array("groups");
  if (!groups.empty()) write_groups(json, state.snapshot->tree(), groups, span);
  json.end_array();
  json.end_object();
  return {.body = std::move(json).take()};
}

}  // namespace fathom::web
