// The system calls that follow filesystems by fanotify. None changes anything.
//
// Functions that return int return 0 or more on success and -errno on failure, -ENOTSUP on systems
// other than Linux.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace fathom::fs::os {

// Opens a queue for the changes of filesystems: -EINVAL if the kernel is older than Linux 5.17.
int open_change_queue();

// Reads as many events as there is room for; -EAGAIN if none is queued.
int read_events(int queue, std::span<std::byte> to);

// Opens the mount table of this process in order to wait for changes of it.
int open_mount_table();

// Whether the table has changed since the last call for this descriptor, or since it was opened.
bool has_changed(int mount_table);

// A descriptor that is readable when the queue is, or when the mount table has changed. Asking it
// counts as asking the mount table, so has_changed() needs another descriptor of the table.
int join(int queue, int mount_table);

// Opens a mounted directory or regular file: -ESTALE if the path does not lead to the mount with
// that number, because another one hides it.
int open_mounted(const std::string& point, std::int64_t mount);

// Makes the queue receive the changes of the filesystem of the open file, whichever mount they are
// made through, and sets `id` to what its events call it. Fails if handles do not lead to its
// inodes: -EPERM if this process may not use them.
int follow(int queue, int mounted, std::uint64_t& id);
// Whether the queue receives them: not if the filesystem was unmounted everywhere and mounted
// again.
bool is_followed(int queue, int mounted);
void stop_following(int queue);  // all

// The device and inode number of what a handle leads to, on the filesystem of the open file;
// -ESTALE if it was deleted.
using InodeNumber = std::pair<std::uint64_t, std::uint64_t>;
int find_inode(int mounted, std::span<const std::byte> handle, InodeNumber& inode);

}  // namespace fathom::fs::os
