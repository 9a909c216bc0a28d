#include "api/entry_json.h"

#include <string_view>

#include "api/places.h"
#include "api/weights.h"

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

void write_bytes(JsonText& json, const Picture& picture, Place place, const fs::Counts& counts) {
  json.number("disk_bytes", counts.disk_bytes);
  json.number("apparent_bytes", counts.apparent_bytes);
  if (picture.growing() || place.above_roots()) {
    json.null("exclusive_bytes");
  } else {
    json.number("exclusive_bytes", freed_bytes(picture, place));
  }
}

void write_id(JsonText& json, std::string_view name, std::uint32_t id) {
  if (id == fs::kUnknownOwner) {
    json.null(name);
  } else {
    json.number(name, id);
  }
}

void write_owner(JsonText& json, std::string_view name, const Owners::Name& owner) {
  if (owner) {
    json.bytes(name, *owner);
  } else {
    json.null(name);
  }
}

// What only an inode has.
void write_inode(JsonText& json, const Picture& picture, Place place) {
  write_modified(json, picture, place);
  if (place.above_roots()) {
    for (const char* name : {"uid", "owner", "gid", "group", "mode", "links"}) json.null(name);
    return;
  }
  const fs::Entry entry = picture.tree().entry(place.node);
  write_id(json, "uid", entry.uid);
  write_owner(json, "owner", picture.owners().user(entry.uid));
  write_id(json, "gid", entry.gid);
  write_owner(json, "group", picture.owners().group(entry.gid));
  json.number("mode", entry.mode);
  if (entry.links == fs::kManyLinks) {
    json.null("links");
  } else {
    json.number("links", entry.links);
  }
}

}  // namespace

void write_name(JsonText& json, const Picture& picture, Place place) {
  json.bytes("name", place.above_roots() ? std::string_view() : picture.tree().name(place.node));
}

void write_kind(JsonText& json, const Picture& picture, Place place) {
  const fs::Kind kind =
      place.is_directory() ? fs::Kind::directory : picture.tree().kind(place.node);
  json.string("kind", to_string(kind));
}

void write_modified(JsonText& json, const Picture& picture, Place place) {
  const std::int64_t mtime =
      place.above_roots() ? fs::kUnknownTime : picture.tree().mtime(place.node);
  if (mtime == fs::kUnknownTime) {
    json.null("modified");
  } else {
    json.signed_number("modified", mtime);
  }
}

void write_uid(JsonText& json, const Picture& picture, Place place) {
  write_id(json, "uid", place.above_roots() ? fs::kUnknownOwner : picture.tree().uid(place.node));
}

void write_mode(JsonText& json, const Picture& picture, Place place) {
  if (place.above_roots()) {
    json.null("mode");
  } else {
    json.number("mode", picture.tree().entry(place.node).mode);
  }
}

void write_flags(JsonText& json, const Picture& picture, Place place) {
  const unsigned flags = place.above_roots() ? 0U : picture.tree().flags(place.node);
  const auto word = [&](bool set, std::string_view text) {
    if (set) json.string(text);
  };
  json.begin_array("flags");
  word((flags & fs::kExtraLink) != 0, "extra_link");
  word((flags & fs::kRepeated) != 0, "repeated");
  word(incomplete(picture, place), "incomplete");
  word((flags & fs::kFilteredOut) != 0, "unwanted");
  word((flags & fs::kHasOmittedChildren) != 0, "holds_more");
  json.end_array();
}

void write_entry(JsonText& json, const Picture& picture, Place place) {
  const fs::Counts counts = counts_of(picture, place);
  write_name(json, picture, place);
  write_kind(json, picture, place);
  write_bytes(json, picture, place, counts);
  json.number("entries", counts.entries());
  json.number("files", counts.files);
  json.number("dirs", counts.dirs);
  write_inode(json, picture, place);
  write_flags(json, picture, place);
  json.number("children", child_count(picture, place));
}

}  // namespace fathom::web
