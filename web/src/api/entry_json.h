// entry_json: writes an entry, or some fields of one, as docs/HTTP.md documents it.

#pragma once

#include <cstdint>
#include <string_view>

#include "api/snapshot.h"
#include "fathom/fs/json_writer.h"

namespace fathom::web {

// Writes all fields into the current object.
void write_entry(fs::JsonWriter& json, const Snapshot& snapshot, Place place);

// Write single fields, for answers that do not need all.
void write_name(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
void write_kind(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
void write_modified(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
void write_uid(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
void write_mode(fs::JsonWriter& json, const Snapshot& snapshot, Place place);
void write_flags(fs::JsonWriter& json, const Snapshot& snapshot, Place place);

}  // namespace fathom::web
