// VerifiedFile: a file of a plan that was found below its root and is open, with its state then.

#pragma once

#include <cstdint>
#include <optional>

#include "fathom/base/fd.h"
#include "os/file_state.h"
#include "os/safe_open.h"
#include "run/verdict.h"

namespace fathom::act {

struct VerifiedFile {
  Location location;
  base::Fd file;
  FileState state;
};

// What must match: the whole identity, or everything except ctime, which acts on other names of a
// file also change. In that case the content has to be compared.
enum class Trust : std::uint8_t { identity, content };

// Nothing if the file is the expected one; else why it is not.
[[nodiscard]] std::optional<Verdict> open_verified(int root, const std::string& path,
                                                   const fs::FileIdentity& expected, Trust trust,
                                                   VerifiedFile& file);

// Whether the file is still at its name, and unchanged except for its ctime.
[[nodiscard]] bool is_in_place(const VerifiedFile& file);

// Whether even its ctime is unchanged.
[[nodiscard]] bool is_untouched(const VerifiedFile& file);

// Updates the ctime, the link count and the access data of a file; does nothing if anything else
// has changed, so that this is still detected.
void refresh(VerifiedFile& file);

// The identity of a file in a directory, with the number that the filesystem has now: st_dev may be
// another one after it was mounted again.
[[nodiscard]] fs::FileIdentity as_mounted_now(fs::FileIdentity identity, const Location& location);

// What is at a location.
enum class Occupant : std::uint8_t { none, expected, other };
[[nodiscard]] Occupant occupant_of(const Location& location, const fs::FileIdentity& it);

}  // namespace fathom::act
