// entry_json: the fields of an entry.

#include "api/entry_json.h"

#include <string_view>

#include "api/directory_queries.h"
#include "api/measured_bytes.h"
#include "fathom/fs/json_writer.h"

namespace fathom::web {

namespace {

std::string_view to_string(fs::Kind kind) {
  switch (kind) {
    case fs::Kind::directory:
      return "directory";
    case fs::Kind::file:
      return "file";
    case fs::Kind::symlink:
      return "symlink";
    case fs::Kind::other:
      return "other";
  }
  return "";
}

void write_bytes(fs::JsonWriter& json, const Snapshot& snapshot, Place place,
                 const fs::Counts& counts) {
  json.number("disk_bytes", counts.disk_bytes);
  json.number("apparent_bytes", counts.apparent_bytes);
  if (snapshot.of_running_scan() || place.above_roots()) {
    json.null("exclusive_bytes");
  } else {
    json.number("exclusive_bytes", freed_bytes(snapshot, place));
  }
}

void write_id(fs::JsonWriter& json, std::string_view name, std::uint32_t id) {
  if (id == fs::kUnknownOwner) {
    json.null(name);
  } else {
    json.number(name, id);
  }
}

void write_owner(fs::JsonWriter& json, std::string_view name, const Owners::Name& owner) {
  if (owner) {
    json.bytes(name, *owner);
  } else {
    json.null(name);
  }
}

// The fields that only an inode has.
void write_inode(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  write_modified(json, snapshot, place);
  if (place.above_roots()) {
    for (const char* name : {"uid", "owner", "gid", "group", "mode", "links"}) json.null(name);
    return;
  }
  const fs::Entry entry = snapshot.tree().entry(place.node);
  write_id(json, "uid", entry.uid);
  write_owner(json, "owner", snapshot.owners().user(entry.uid));
  write_id(json, "gid", entry.gid);
  write_owner(json, "group", snapshot.owners().group(entry.gid));
  json.number("mode", entry.mode);
  if (entry.links == fs::kManyLinks) {
    json.null("links");
  } else {
    json.number("links", entry.links);
  }
}

}  // namespace

void write_name(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  json.bytes("name", place.above_roots() ? std::string_view() : snapshot.tree().name(place.node));
}

void write_kind(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  const fs::Kind kind =
      place.is_directory() ? fs::Kind::directory : snapshot.tree().kind(place.node);
  json.string("kind", to_string(kind));
}

void write_modified(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  json.time("modified", place.above_roots() ? fs::kUnknownTime : snapshot.tree().mtime(place.node));
}

void write_uid(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  write_id(json, "uid", place.above_roots() ? fs::kUnknownOwner : snapshot.tree().uid(place.node));
}

void write_mode(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  if (place.above_roots()) {
    json.null("mode");
  } else {
    json.number("mode", snapshot.tree().entry(place.node).mode);
  }
}

void write_flags(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  const unsigned flags = place.above_roots() ? 0U : snapshot.tree().flags(place.node);
  const auto word = [&](bool set, std::string_view text) {
    if (set) json.string(text);
  };
  json.begin_array("flags");
  word((flags & fs::kExtraLink) != 0, "extra_link");
  word((flags & fs::kRepeated) != 0, "repeated");
  word(incomplete(snapshot, place), "incomplete");
  word((flags & fs::kFilteredOut) != 0, "unwanted");
  word((flags & fs::kHasOmittedChildren) != 0, "holds_more");
  json.end_array();
}

void write_entry(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  const fs::Counts counts = counts_of(snapshot, place);
  write_name(json, snapshot, place);
  write_kind(json, snapshot, place);
  write_bytes(json, snapshot, place, counts);
  json.number("entries", counts.entries());
  json.number("files", counts.files);
  json.number("dirs", counts.dirs);
  write_inode(json, snapshot, place);
  write_flags(json, snapshot, place);
  json.number("children", child_count(snapshot, place));
}

}  // namespace fathom::web
