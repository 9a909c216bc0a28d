// FileState: the metadata of a file that acts check.

#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "fathom/fs/file_identity.h"
#include "fathom/fs/tree.h"
#include "os/safe_open.h"

namespace fathom::act {

struct FileState {
  fs::FileIdentity identity;
  std::uint64_t links = 0;
  std::uint64_t blocks = 0;  // of kBlockBytes each
  uid_t uid = 0;
  gid_t gid = 0;
  mode_t mode = 0;

  [[nodiscard]] fs::Kind kind() const { return fs::kind_of(static_cast<std::uint16_t>(mode)); }
};

[[nodiscard]] FileState converted(const struct stat& from);

// Each returns 0 or -errno. A symbolic link is not followed.
[[nodiscard]] int state_of(int file, FileState& state);
[[nodiscard]] int state_at(const Location& location, FileState& state);
[[nodiscard]] int state_at(const std::string& path, FileState& state);

// Whether an inode of a plan or a journal is at a location. Its filesystem may have got another
// number (st_dev) since, by being mounted again: that of the directory will do.
[[nodiscard]] bool is_at(const Location& location, std::uint64_t device, std::uint64_t inode);

// A mount: names can be moved and linked within one only, even if another one shows the same
// filesystem.
struct MountId {
  std::uint64_t device = 0;
  std::uint64_t number = 0;  // 0 if the kernel does not tell: before Linux 5.8

  friend bool operator==(const MountId&, const MountId&) = default;
};

// That of a path relative to an open directory, or with "" of the directory itself. Links are
// followed. Nothing if there is no such path.
[[nodiscard]] std::optional<MountId> mount_id_at(int folder, const char* path);

// Whether both are the same inode.
[[nodiscard]] bool same_file(const fs::FileIdentity& a, const fs::FileIdentity& b);

// Whether both are the same inode and unchanged, apart from ctime, which also changes when names
// are added or removed.
[[nodiscard]] bool same_but_for_ctime(const fs::FileIdentity& a, const fs::FileIdentity& b);

}  // namespace fathom::act
