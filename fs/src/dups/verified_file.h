// VerifiedFile: a file of a plan, found below its root and held open, and what it was like then.

#pragma once

#include <cstdint>
#include <optional>

#include "dups/file_state.h"
#include "dups/safe_open.h"
#include "dups/verdict.h"

namespace fathom::fs {

struct VerifiedFile {
  Location location;
  Fd file;
  FileState state;
};

// What must be as expected: all of the identity, or all but ctime, which acts on other names of a
// file change, too. Then its content has to be compared.
enum class Trust : std::uint8_t { identity, content };

// Nothing if the file is the one expected; else why it cannot be held.
[[nodiscard]] std::optional<Verdict> open_verified(int root, const std::string& path,
                                                   const FileIdentity& expected, Trust trust,
                                                   VerifiedFile& file);

// Whether the file still stands at its name, and is what it was; ctime is left to others.
[[nodiscard]] bool is_in_place(const VerifiedFile& file);

// Whether not even its ctime is another one.
[[nodiscard]] bool is_untouched(const VerifiedFile& file);

// Notes the ctime, number of names and access that a file has now; does nothing if more than these
// has changed, so that this is still found out.
void refresh(VerifiedFile& file);

// What stands at a place.
enum class Occupant : std::uint8_t { none, expected, other };
[[nodiscard]] Occupant occupant_of(const Location& location, const FileIdentity& it);

}  // namespace fathom::fs
