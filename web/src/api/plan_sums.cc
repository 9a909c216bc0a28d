// plan_sums_answer: what acting on a set of entries would free, according to the scan.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "api/answer.h"
#include "api/chosen_places.h"
#include "api/directory_queries.h"
#include "api/entry_json.h"
#include "api/measured_bytes.h"
#include "api/request_body.h"
#include "fathom/fs/freed.h"
#include "fathom/fs/json_writer.h"

namespace fathom::web {

namespace {

void write_freed(fs::JsonWriter& json, std::optional<std::uint64_t> bytes) {
  if (bytes) {
    json.number("freed_bytes", *bytes);
  } else {
    json.null("freed_bytes");
  }
}

void write_item(fs::JsonWriter& json, const Snapshot& snapshot, const ChosenPlace& one) {
  const fs::Counts counts = counts_of(snapshot, one.place);
  json.begin_object();
  json.bytes("path", one.path);
  write_kind(json, snapshot, one.place);
  json.number("entries", counts.entries());
  json.number("used_bytes", counts.disk_bytes);
  write_freed(json, snapshot.of_running_scan() ? std::nullopt
                                               : std::optional(freed_bytes(snapshot, one.place)));
  json.end_object();
}

// Nothing while the scan runs.
std::optional<std::uint64_t> freed_by(const Snapshot& snapshot, const ChosenPlaces& chosen) {
  if (snapshot.of_running_scan()) return std::nullopt;
  std::vector<fs::Chosen> set;
  for (const ChosenPlace& one : chosen.places()) {
    set.push_back({one.place.node, one.place.directory});
  }
  return snapshot.freed().by(set).exclusive.disk_bytes;
}

}  // namespace

Answer plan_sums_answer(const Snapshot* snapshot, std::string_view body) {
  RequestBody given(body, {"paths"});
  std::vector<std::string> paths = given.paths("paths");
  if (const auto& wrong = given.error()) return bad_request(*wrong);
  if (snapshot == nullptr) return no_results_yet();
  const ChosenPlaces chosen(*snapshot, std::move(paths), ChosenPlaces::Inner::dropped);
  fs::Counts sums;
  fs::JsonWriter json;
  json.begin_object();
  json.number("generation", snapshot->generation());
  json.begin_array("items");
  for (const ChosenPlace& one : chosen.places()) {
    sums.add(counts_of(*snapshot, one.place));
    write_item(json, *snapshot, one);
  }
  json.end_array();
  json.number("entries", sums.entries());
  json.number("used_bytes", sums.disk_bytes);
  write_freed(json, freed_by(*snapshot, chosen));
  json.bytes_of_each("unknown", chosen.unknown());
  json.end_object();
  return {.body = std::move(json).take()};
}

}  // namespace fathom::web
