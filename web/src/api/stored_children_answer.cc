// stored_children_answer: the entries of a directory of a snapshot, which is not loaded.

#include <cstdint>
#include <map>
#include <string>

#include "api/children_question.h"
#include "api/entry_json.h"
#include "api/stored_answers.h"
#include "fathom/base/clock.h"
#include "fathom/fs/json_writer.h"
#include "fathom/store/directory_listing.h"
#include "fathom/store/snapshot_name.h"

namespace fathom::web {

namespace {

store::ListingOrder order_of(ChildrenQuestion::Sort sort) {
  switch (sort) {
    case ChildrenQuestion::Sort::size:
      return store::ListingOrder::size;
    case ChildrenQuestion::Sort::name:
      return store::ListingOrder::name;
    case ChildrenQuestion::Sort::entries:
      return store::ListingOrder::entries;
    case ChildrenQuestion::Sort::modified:
      return store::ListingOrder::modified;
    case ChildrenQuestion::Sort::owner:
      break;
  }
  return store::ListingOrder::owner;
}

Owners::Name name_in(const std::map<std::uint32_t, std::string>& names, std::uint32_t id) {
  const auto found = names.find(id);
  return found == names.end() ? Owners::Name() : Owners::Name(found->second);
}

EntryFacts facts_of(const store::ListedEntry& entry, const store::SnapshotMeta& meta) {
  EntryFacts facts{.name = entry.name,
                   .kind = entry.kind,
                   .counts = entry.counts,
                   .inode = entry.inode,
                   .flags = entry.flags,
                   .incomplete = entry.lower_bound,
                   .children = entry.entries};
  if (!entry.inode) return facts;
  facts.owner = name_in(meta.users, entry.inode->uid);
  facts.group = name_in(meta.groups, entry.inode->gid);
  return facts;
}

std::string listing_json(const store::DirectoryListing& listing, const std::string& name,
                         const store::SnapshotMeta& meta, std::uint64_t offset) {
  fs::JsonWriter json(kEnoughJson);
  json.begin_object();
  json.number("generation", 0);  // of no scan
  json.begin_object("snapshot");
  json.string("id", meta.id);
  json.string("name", name);
  json.end_object();
  json.bytes("path", listing.path);
  json.begin_object("entry");
  write_entry(json, facts_of(listing.entry, meta));
  json.end_object();
  json.number("total", listing.total);
  json.number("offset", offset);
  json.begin_array("children");
  for (const store::ListedEntry& entry : listing.entries) {
    if (!json.wanted()) break;
    json.begin_object();
    write_entry(json, facts_of(entry, meta));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

}  // namespace

Answer stored_children_answer(StoredSnapshots& stored, const std::string& name, Parameters& given) {
  const ChildrenQuestion asked = children_question(given);
  if (asked.around) given.set_error("around is only for the scan, not for a snapshot");
  if (const auto& error = given.error()) return bad_request(*error);
  return stored_answer([&] {
    const StoredSnapshots::Contents contents = stored.contents();
    const store::StoredSnapshot& chosen =
        store::find_snapshot(contents->snapshots, name, base::wall_now_ns(), asked.path);
    const StoredSnapshots::Opened snapshot = stored.open(chosen.name);
    const store::ListingOptions options{
        .path = asked.path,
        .measure = asked.measure == Measure::apparent ? fs::Measure::apparent : fs::Measure::disk,
        .order = order_of(asked.sort),
        .descending = asked.descending,
        .offset = asked.span.offset,
        .limit = asked.span.limit};
    return listing_json(store::list_directory(*snapshot, options), chosen.name, chosen.meta,
                        asked.span.offset);
  });
}

}  // namespace fathom::web
