// entry_json: an entry, and pieces of one, as docs/HTTP.md describes it.

#pragma once

#include <cstdint>
#include <string_view>

#include "api/json_text.h"
#include "api/snapshot.h"

namespace fathom::web {

// Writes its fields into the object that is open.
void write_entry(JsonText& json, const Snapshot& snapshot, Place place);

// Some of them, for answers that need no more.
void write_name(JsonText& json, const Snapshot& snapshot, Place place);
void write_kind(JsonText& json, const Snapshot& snapshot, Place place);
void write_modified(JsonText& json, const Snapshot& snapshot, Place place);
void write_uid(JsonText& json, const Snapshot& snapshot, Place place);
void write_mode(JsonText& json, const Snapshot& snapshot, Place place);
void write_flags(JsonText& json, const Snapshot& snapshot, Place place);

}  // namespace fathom::web
