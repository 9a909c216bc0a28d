// tree_answer: the nodes of a treemap as nested JSON.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/answer.h"
#include "api/directory_queries.h"
#include "api/entry_json.h"
#include "api/measured_bytes.h"
#include "api/treemap.h"
#include "fathom/fs/json_writer.h"

namespace fathom::web {

namespace {

struct TreeQuestion {
  std::string path;
  Measure measure;
  Treemap::Limits limits;
};

TreeQuestion tree_question(Parameters& given) {
  TreeQuestion asked;
  asked.path = given.bytes("path");
  asked.measure = measure_of(given);
  asked.limits.depth = given.integer("depth", 3, 1, 32);
  asked.limits.nodes = given.integer("nodes", 2000, 1, 10000);
  asked.limits.min_share = given.number("min_share", 0.0005, 0, 1);
  return asked;
}

// Writes the nodes nested, without recursion.
class NodesJson {
 public:
  NodesJson(fs::JsonWriter& json, const Snapshot& snapshot, const std::vector<Treemap::Node>& nodes)
      : json_(json), snapshot_(snapshot), nodes_(nodes) {}

  void write() {
    std::size_t at = 0;
    while (at != Treemap::kNone) {
      begin(at);
      at = nodes_[at].first_child != Treemap::kNone ? nodes_[at].first_child : end_up_to_next(at);
    }
  }

 private:
  // Ends a node, and each ancestor whose last child it is. Returns the next node.
  std::size_t end_up_to_next(std::size_t at) {
    for (; at != Treemap::kNone; at = nodes_[at].parent) {
      end(at);
      if (nodes_[at].next != Treemap::kNone) return nodes_[at].next;
    }
    return at;
  }

  void begin(std::size_t at) {
    const Treemap::Node& node = nodes_[at];
    if (at == 0) json_.key("root");
    json_.begin_object();
    write_name(json_, snapshot_, node.place);
    write_kind(json_, snapshot_, node.place);
    json_.number("bytes", node.bytes);
    write_modified(json_, snapshot_, node.place);
    write_newest(json_, snapshot_, node.place);
    write_user(json_, snapshot_, node.place);
    write_mode(json_, snapshot_, node.place);
    write_flags(json_, snapshot_, node.place);
    // What the entries would tell.
    const bool closed = node.first_child == Treemap::kNone;
    if (closed && node.place.directory != fs::kNoDir)
      write_largest_file(json_, snapshot_, node.place.directory);
    if (node.looked_into) json_.begin_array("children");
  }

  void end(std::size_t at) {
    const Treemap::Node& node = nodes_[at];
    if (node.looked_into) json_.end_array();
    if (node.place.is_directory()) {
      json_.begin_object("rest");
      json_.number("entries", child_count(snapshot_, node.place) - node.shown);
      json_.number("bytes", node.bytes - node.shown_bytes);
      json_.end_object();
    }
    json_.end_object();
  }

  fs::JsonWriter& json_;
  const Snapshot& snapshot_;
  const std::vector<Treemap::Node>& nodes_;
};

}  // namespace

Answer tree_answer(const Snapshot* snapshot, Parameters& given) {
  const TreeQuestion asked = tree_question(given);
  if (auto refused = refusal(snapshot, given)) return *std::move(refused);
  const std::optional<Place> place = snapshot->find(asked.path);
  if (!place) return not_found(asked.path);
  const Treemap map(*snapshot, *place, MeasuredBytes(*snapshot, asked.measure), asked.limits);
  fs::JsonWriter json;
  json.begin_object();
  json.number("generation", snapshot->generation());
  json.bytes("path", snapshot->path(*place));
  json.string("measure", to_string(asked.measure));
  NodesJson(json, *snapshot, map.nodes()).write();
  json.end_object();
  return {.body = std::move(json).take()};
}

}  // namespace fathom::web
