// The lines that every journal has: a head with the schema, acts that begin, and their ends.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fathom/base/error.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/source.h"
#include "text/json_fields.h"

namespace fathom::act {

// How an act ended: it was done, moved back later, or refused before it changed anything.
enum class ActEnd : std::uint8_t { done, undone, refused };

struct JournalLines {
  std::string_view family;  // of the schema, up to the slash: "fathom.journal/"
  std::string_view schema;  // the only version that is known
  std::function<void(JsonFields&)> head;
  std::function<void(std::uint64_t act, JsonFields&)> begin;
  // False: the act was never begun.
  std::function<bool(std::uint64_t act, ActEnd)> end;
};

struct ReadLines {
  std::uint64_t length = 0;  // in bytes, up to the last complete line
  std::string torn_head;     // the part of the first line that exists, if even that is incomplete
};

// Reads all complete lines. The last one may be partial. A power cut may leave zeros in place of
// text that was not yet on the disk, so the first zero byte is the end as well. Throws base::Error
// for any other line that does not belong in a journal.
[[nodiscard]] ReadLines read_journal_lines(const fs::Source& source, const JournalLines& lines);

inline constexpr const char* kNotAJournal =
    "this is not a Fathom journal; that of a plan PLAN is PLAN.journal";

// An object with the members that a function writes, and a newline.
template <class WriteMembers>
[[nodiscard]] std::string json_line(const WriteMembers& write_members) {
  fs::JsonWriter json;
  json.begin_object();
  write_members(json);
  json.end_object();
  json.end_line();
  return std::move(json).take();
}

// The same for the head. Throws base::Error if it is longer than what is read.
template <class WriteMembers>
[[nodiscard]] std::string head_line_of(const WriteMembers& write_members) {
  std::string line = json_line(write_members);
  if (line.size() <= kLongestHead) return line;
  throw base::Error("the roots are too many for a journal: act on fewer at once");
}

// {"done":0}
[[nodiscard]] std::string end_line(std::uint64_t act, ActEnd end);

}  // namespace fathom::act
