// Filesystems in files, mounted for tests.

#pragma once

#include <sys/mount.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/subprocess.h"
#include "fathom/testing/temp_tree.h"
#include "mounts.h"

namespace fathom::fs {

// A filesystem to make: mkfs.TYPE with options, mounted with options.
struct ImageKind {
  std::string type;
  std::vector<std::string> make = {};
  std::string mount = "loop";
};

inline std::ostream& operator<<(std::ostream& out, const ImageKind& kind) {
  out << kind.type;
  for (const std::string& option : kind.make) out << ' ' << option;
  return out << ' ' << kind.mount;
}

inline void command(const std::vector<std::string>& words) {
  const auto result = testing::run(words);
  if (result.status != 0) throw base::Error(words.front() + ": " + result.err);
}

// An image, and the directory where it is mounted within run().
class Image {
 public:
  explicit Image(ImageKind kind, std::uint64_t bytes = std::uint64_t{320} << 20)
      : kind_(std::move(kind)) {
    tree_.sparse("disk", bytes);
    tree_.dir("mounted");
    std::vector<std::string> command = {"mkfs." + kind_.type, "-q"};
    command.insert(command.end(), kind_.make.begin(), kind_.make.end());
    command.push_back(disk());
    try {
      if (testing::run(command).status != 0) why_not_ = "the filesystem cannot be made here";
    } catch (const base::SystemError&) {
      why_not_ = command.front() + " is not installed";
    }
    if (!testing::can_use_namespaces()) why_not_ = "mounting is not allowed here";
  }

  [[nodiscard]] std::string disk() const { return tree_.path("disk"); }
  [[nodiscard]] std::string top() const { return tree_.path("mounted"); }
  // Why it cannot be used; empty if it can.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // Runs the body in a child process, where the image is mounted; what it throws is printed.
  // Returns whether it ended well. If the image cannot be mounted, or the body has called
  // end_unsupported(), why_not() says so afterwards.
  bool run(const std::function<void()>& body) {
    const int status = testing::in_mount_namespace([&] {
      if (!mount()) end_unsupported();
      body();
      require(::umount(top().c_str()) == 0, "unmounted: everything in it is closed");
    });
    if (status == kUnsupported) why_not_ = "this kernel lacks the filesystem, or a feature of it";
    return status == 0;
  }

  // Only within run().
  [[noreturn]] static void end_unsupported() { std::_Exit(kUnsupported); }

  // Only within run(). A new mount has nothing in its caches.
  [[nodiscard]] bool mount() const {
    return testing::run({"mount", "-o", kind_.mount, disk(), top()}).status == 0;
  }
  void mount_again() const { require(::umount(top().c_str()) == 0 && mount(), "mounted again"); }

 private:
  static constexpr int kUnsupported = 77;

  ImageKind kind_;
  testing::TempTree tree_;
  std::string why_not_;
};

}  // namespace fathom::fs
