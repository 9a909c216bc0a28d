// Places: where files are moved on their own filesystem: the quarantine and the desktop's trash.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "os/mutating_ops.h"

namespace fathom::act {

// The highest directory above a path, or the path itself, that is on the same mount.
[[nodiscard]] std::string top_of_mount(const std::string& folder);

// Whether an open directory belongs to this user, and nobody else can enter it.
[[nodiscard]] bool is_own_alone(int folder);

// The directory in which runs of this user keep their quarantines for a mount, of which `folder`
// is a directory: the first of these that belongs to the user alone, or can be made:
// .fathom-quarantine-UID at its top, fathom/quarantine in the user's state directory, and
// .fathom-quarantine-UID beside the root. Nothing if there is none.
[[nodiscard]] std::optional<std::string> default_quarantine(const std::string& folder,
                                                            const std::string& root);

// Removes the quarantine in which a run had its directory, if it is empty now, and if its name
// shows that a run has made it.
void remove_empty_quarantine(const std::string& path, const MutatingOps& ops);

// The quarantines of this user that exist: directly in these directories, and in the user's state
// directory.
[[nodiscard]] std::set<std::string> own_quarantines(const std::vector<std::string>& folders);

// A trash directory, as specified by https://specifications.freedesktop.org/trash-spec/1.0/.
struct Trash {
  std::string path;  // it has, or gets, the directories files/ and info/
  std::string top;   // paths in it are relative to this directory; empty: they are absolute
};

// The user's trash for the mount of a directory: that of the home directory if it is on it,
// and otherwise one at its top. Nothing if there is none and none can be made.
[[nodiscard]] std::optional<Trash> trash_for(const std::string& folder);

}  // namespace fathom::act
