// is_other(): which identities of filesystems, and facts about them, tell two apart.

#pragma once

#include <string_view>

#include "fathom/store/snapshot.h"

namespace fathom::store {

// Whether the text is a UUID: not unknown, and not the identity of a directory, which tells little,
// because a scan may begin elsewhere, or find a new directory.
[[nodiscard]] bool is_uuid(std::string_view fs_uuid);

// The UUID without the subvolume: those of one filesystem share its space.
[[nodiscard]] std::string_view volume_of(std::string_view fs_uuid);

// Whether the filesystems that two snapshots describe are different ones, as far as is known.
[[nodiscard]] bool is_other(const SnapshotFilesystem& a, const SnapshotFilesystem& b);

}  // namespace fathom::store
