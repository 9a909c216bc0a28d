// entry_json: the fields of an entry.

#include "api/entry_json.h"

#include <string_view>

#include "api/directory_queries.h"
#include "api/measured_bytes.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/kind_words.h"

namespace fathom::web {

namespace {

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

void write_mode(fs::JsonWriter& json, const fs::Entry& entry) {
  if (entry.knows_permissions()) {
    json.number("mode", entry.mode);
  } else {
    json.null("mode");
  }
}

// The fields that only an inode has.
void write_inode(fs::JsonWriter& json, const EntryFacts& entry) {
  if (!entry.inode) {
    for (const char* name : {"modified", "uid", "owner", "gid", "group", "mode", "links"}) {
      json.null(name);
    }
    return;
  }
  json.time("modified", entry.inode->mtime);
  write_id(json, "uid", entry.inode->uid);
  write_owner(json, "owner", entry.owner);
  write_id(json, "gid", entry.inode->gid);
  write_owner(json, "group", entry.group);
  write_mode(json, *entry.inode);
  if (entry.inode->links == fs::kManyLinks) {
    json.null("links");
  } else {
    json.number("links", entry.inode->links);
  }
}

void write_words(fs::JsonWriter& json, unsigned flags, bool incomplete) {
  const auto word = [&](bool set, std::string_view text) {
    if (set) json.string(text);
  };
  json.begin_array("flags");
  word((flags & fs::kExtraLink) != 0, "extra_link");
  word((flags & fs::kRepeated) != 0, "repeated");
  word(incomplete, "incomplete");
  word((flags & fs::kFilteredOut) != 0, "unwanted");
  word((flags & fs::kHasOmittedChildren) != 0, "holds_more");
  json.end_array();
}

std::string_view name_of(const Snapshot& snapshot, Place place) {
  return place.above_roots() ? std::string_view() : snapshot.tree().name(place.node);
}

fs::Kind kind_of(const Snapshot& snapshot, Place place) {
  return place.is_directory() ? fs::Kind::directory : snapshot.tree().kind(place.node);
}

unsigned flags_of(const Snapshot& snapshot, Place place) {
  return place.above_roots() ? 0U : snapshot.tree().flags(place.node);
}

}  // namespace

EntryFacts facts_of(const Snapshot& snapshot, Place place) {
  EntryFacts facts{.name = name_of(snapshot, place),
                   .kind = kind_of(snapshot, place),
                   .counts = counts_of(snapshot, place),
                   .flags = flags_of(snapshot, place),
                   .incomplete = incomplete(snapshot, place),
                   .children = child_count(snapshot, place)};
  if (place.above_roots()) return facts;
  if (!snapshot.of_running_scan()) facts.exclusive_bytes = freed_bytes(snapshot, place);
  facts.inode = snapshot.tree().entry(place.node);
  facts.owner = snapshot.owners().user(facts.inode->uid);
  facts.group = snapshot.owners().group(facts.inode->gid);
  return facts;
}

void write_entry(fs::JsonWriter& json, const EntryFacts& entry) {
  json.bytes("name", entry.name);
  json.string("kind", to_string(entry.kind));
  json.number("disk_bytes", entry.counts.disk_bytes);
  json.number("apparent_bytes", entry.counts.apparent_bytes);
  if (entry.exclusive_bytes) {
    json.number("exclusive_bytes", *entry.exclusive_bytes);
  } else {
    json.null("exclusive_bytes");
  }
  json.number("entries", entry.counts.entries());
  json.number("files", entry.counts.files);
  json.number("dirs", entry.counts.dirs);
  write_inode(json, entry);
  write_words(json, entry.flags, entry.incomplete);
  json.number("children", entry.children);
}

void write_name(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  json.bytes("name", name_of(snapshot, place));
}

void write_kind(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  json.string("kind", to_string(kind_of(snapshot, place)));
}

void write_modified(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  json.time("modified", place.above_roots() ? fs::kUnknownTime : snapshot.tree().mtime(place.node));
}

void write_newest(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  json.time("newest", newest_in(snapshot, place));
}

void write_user(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  const std::uint32_t uid =
      place.above_roots() ? fs::kUnknownOwner : snapshot.tree().uid(place.node);
  write_id(json, "uid", uid);
  write_owner(json, "owner", snapshot.owners().user(uid));
}

void write_mode(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  if (place.above_roots()) {
    json.null("mode");
  } else {
    write_mode(json, snapshot.tree().entry(place.node));
  }
}

void write_largest_file(fs::JsonWriter& json, const Snapshot& snapshot, fs::DirId directory) {
  constexpr std::size_t kLongestName = 255;  // on nearly all filesystems; exports may have longer
  const fs::NodeId largest = snapshot.largest_files().below(directory);
  if (largest == fs::kNoNode) return;
  const std::string_view name = snapshot.tree().name(largest);
  if (name.size() > kLongestName) return;
  json.begin_object("largest_file");
  json.bytes("name", name);
  json.number("mode", snapshot.tree().mode(largest));
  json.end_object();
}

void write_flags(fs::JsonWriter& json, const Snapshot& snapshot, Place place) {
  write_words(json, flags_of(snapshot, place), incomplete(snapshot, place));
}

}  // namespace fathom::web
