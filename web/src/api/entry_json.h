// entry_json: an entry, and pieces of one, as docs/HTTP.md describes it.

#pragma once

#include <cstdint>
#include <string_view>

#include "api/json_text.h"
#include "api/picture.h"

namespace fathom::web {

// Writes its fields into the object that is open.
void write_entry(JsonText& json, const Picture& picture, Place place);

// Some of them, for answers that need no more.
void write_name(JsonText& json, const Picture& picture, Place place);
void write_kind(JsonText& json, const Picture& picture, Place place);
void write_modified(JsonText& json, const Picture& picture, Place place);
void write_uid(JsonText& json, const Picture& picture, Place place);
void write_mode(JsonText& json, const Picture& picture, Place place);
void write_flags(JsonText& json, const Picture& picture, Place place);

}  // namespace fathom::web
