// entry_json: writes an entry, or some fields of one, as docs/HTTP.md documents it.

#pragma once

#include <cstdint>
#include <string_view>

#include "api/json_text.h"
#include "api/snapshot.h"

namespace fathom::web {

// Writes all fields into the current object.
void write_entry(JsonText& json, const Snapshot& snapshot, Place place);

// Write single fields, for answers that do not need all.
void write_name(JsonText& json, const Snapshot& snapshot, Place place);
void write_kind(JsonText& json, const Snapshot& snapshot, Place place);
void write_modified(JsonText& json, const Snapshot& snapshot, Place place);
void write_uid(JsonText& json, const Snapshot& snapshot, Place place);
void write_mode(JsonText& json, const Snapshot& snapshot, Place place);
void write_flags(JsonText& json, const Snapshot& snapshot, Place place);

}  // namespace fathom::web
