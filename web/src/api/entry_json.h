// entry_json: writes an entry, or some fields of one, as docs/HTTP.md documents it.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/owners.h"
#include "api/snapshot.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"

namespace fathom::web {

// What all fields of an entry say, wherever it comes from.
struct EntryFacts {
  std::string_view name;
  fs::Kind kind = fs::Kind::directory;
  fs::Counts counts = {};  // with everything below
  std::optional<std::uint64_t> exclusive_bytes = {};
  std::optional<fs::Entry> inode = {};  // nothing for the place above several roots
  Owners::Name owner = {};
  Owners::Name group = {};
  unsigned flags = 0;       // of fs::NodeFlag
  bool incomplete = false;  // something at or below it could not be read
  std::uint64_t children = 0;
};

[[nodiscard]] EntryFacts facts_of(const Snapshot& snapshot, Place place);

// Writes all fields into the current object.
void write_entry(fs::JsonWriter& json, const EntryFacts& entry);

// Write single fields, for answers that do not need all.
void write_name(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
void write_kind(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
void write_modified(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
// "newest": the last modification at or below the place.
void write_newest(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
// "uid" and "owner".
void write_user(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
void write_mode(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
// "largest_file": the name and the mode of the largest file below a directory; nothing if there is
// none, or if its name has more than 255 bytes.
void write_largest_file(fs::JsonWriter& json, const Snapshot& snapshot, fs::DirId directory);
void write_flags(fs::JsonWriter& json, const Snapshot& snapshot, Place place);

}  // namespace fathom::web
