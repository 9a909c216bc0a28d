// duplicates_answer: the state of a search for duplicates, and one page of its groups.

#include "api/duplicates_answer.h"

#include <algorithm>
#include <cstddef>
#include <vector>

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

void write_totals(fs::JsonWriter& json, const fs::Duplicates* found) {
  json.begin_object("totals");
  json.number("groups", found == nullptr ? 0 : found->groups.size());
  json.number("files", found == nullptr ? 0 : found->files);
  json.number("wasted_bytes", found == nullptr ? 0 : found->wasted_bytes);
  json.end_object();
}

void write_group(fs::JsonWriter& json, const fs::Tree& tree, const fs::DuplicateGroup& group) {
  json.begin_object();
  json.number("size", group.size);
  json.number("wasted_bytes", group.wasted_bytes);
  json.number("names", group.files.size());
  json.begin_array("files");
  const std::size_t named = std::min(group.files.size(), kMostFiles);
  for (std::size_t i = 0; i < named; ++i) {
    json.begin_object();
    json.bytes("path", tree.path(group.files[i].node));
    json.number("other_names", group.files[i].links.size());
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

Answer duplicates_answer(const DuplicateState& state, Parameters& given) {
  const Span span = span_of(given);
  if (const auto& error = given.error()) return bad_request(*error);
  const bool complete = state.state == DuplicatesState::complete && state.snapshot != nullptr;
  const fs::Duplicates* const found = complete ? state.found.get() : nullptr;
  const std::size_t total = found == nullptr ? 0 : found->groups.size();
  const std::size_t first = std::min<std::size_t>(span.offset, total);
  const std::size_t end = first + std::min<std::size_t>(span.limit, total - first);
  fs::JsonWriter json;
  json.begin_object();
  json.number("generation", state.generation);
  json.string("state", to_string(state.state));
  json.string("message", fs::to_utf8(state.message));
  json.begin_object("progress");
  json.number("bytes_read", state.progress.bytes);
  json.number("bytes_to_read", state.progress.bytes_total);
  json.end_object();
  write_totals(json, found);
  json.number("total", total);
  json.number("offset", span.offset);
  json.begin_array("groups");
  for (std::size_t i = first; i < end; ++i) {
    write_group(json, state.snapshot->tree(), found->groups[i]);
  }
  json.end_array();
  json.end_object();
  return {.body = std::move(json).take()};
}

}  // namespace fathom::web
