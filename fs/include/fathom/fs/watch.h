// Watch: follows the filesystems at and below some roots, by fanotify of Linux 5.17 or newer.
//
//   Watch watch({"/srv"});             // from here on, nothing is forgotten
//   const Scan before = scan(...);
//   ... poll watch.descriptor() ...
//   watch.read();
//   const Changes changes = watch.take();
//   if (changes.missed) ...            // scan again
//
// A change is reported after it was made: metadata that is read after take() includes all that it
// reports. A change that happens meanwhile is in the next one.
//
// The kernel reports some writes only when the file is closed: those through a map into memory, by
// asynchronous calls (io_submit), and to a loop device. It never reports access times, nor blocks
// that a filesystem adds to or takes from a file later: ext4 adds one to a file with many fragments
// when it writes it to the disk.
//
// Needs CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH. Keeps no filesystem from being unmounted, except
// within read(). One thread at a time may use it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fathom::fs {

// What may have changed on the followed filesystems since the last take(), also outside the roots.
struct Changes {
  // By device (st_dev as stat(2) returns it) and inode number, ascending, each once: inodes whose
  // metadata may have changed, and directories whose names may have changed. Deleted inodes are
  // among them at most while a process has them open, but the directories that they were in always
  // are. Empty if something was missed.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> inodes;
  // Reports were lost, there were too many, or mounts at or below the roots changed: anything may
  // have changed.
  bool missed = false;
};

class Watch {
 public:
  // More changed inodes than this between two take() count as missed; they would need 100 MB.
  static constexpr std::size_t kMostInodes = 1'000'000;

  // Throws base::Error if a root does not exist, if the kernel or the user may not follow
  // filesystems, or if none of the filesystems can be followed.
  explicit Watch(const std::vector<std::string>& roots, std::size_t most_inodes = kMostInodes);
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;
  ~Watch();

  // Becomes readable when read() has something to do. After it was added to an epoll descriptor,
  // call read() once: adding it hides mounts that changed before.
  [[nodiscard]] int descriptor() const;

  // Takes what is queued, without waiting. If there is a lot, the descriptor stays readable.
  // The kernel queues 16,384 changes unless fs.fanotify.max_queued_events says otherwise, and the
  // rest is missed: do not let long work delay it.
  void read();

  // Whether anything may have changed since the last take().
  [[nodiscard]] bool changed() const;
  [[nodiscard]] Changes take();

  // The mount points at or below the roots whose filesystem cannot be followed, ascending. Among
  // them are those of kernel filesystems such as /proc, which scans exclude unless told otherwise.
  // May change in a read() that misses something.
  [[nodiscard]] const std::vector<std::string>& not_followed() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace fathom::fs
