// A disk that becomes full at any moment leaves the store as it was, and the next attempt with
// enough space succeeds.
//
// Each test mounts filesystems with room for one page, or one inode, more than before, so that each
// write and each new file once is the first that fails. The test fails if write_snapshot() ignores
// the result of a write, or if add() leaves its temporary directory: each was tried.

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "fathom/base/error.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/executor.h"
#include "fathom/store/store.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::store {
namespace {

class StoreFull : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer lets no child of a process with threads start more";
#endif
    if (!testing::can_use_namespaces()) GTEST_SKIP() << "cannot mount a small filesystem";
    for (int i = 0; i < 300; ++i) tree_.file("tree/some directory/file " + std::to_string(i), 1);
    tree_.dir("small");
  }

  // In a child process, where a failed expectation would not fail the test.
  static void require(bool holds, const std::string& otherwise) {
    if (!holds) throw base::Error(otherwise);
  }

  void mount(const std::string& options, unsigned long flags = 0) const {
    if (::mount("tmpfs", small_.c_str(), "tmpfs", flags, options.c_str()) != 0) {
      throw base::SystemError("cannot mount", errno);
    }
  }

  // Keeps a snapshot as `fathom snapshot` does. Whether there was enough space.
  bool keep(std::int64_t ended_ns) const {
    fs::ScanOptions scanning;
    scanning.roots = {tree_.path("tree")};
    scanning.threads = 1;
    const fs::Scan scan = fs::scan(scanning);
    rt::Executor executor({.threads = 1});
    SnapshotOptions options;
    options.meta.roots = scanning.roots;
    options.meta.ended_ns = ended_ns;
    try {
      Store store = Store::open_or_create(path_);
      store.add([&](int folder) { return write_snapshot(scan, options, executor, folder); });
    } catch (const base::Error& error) {
      const std::string why = error.what();
      require(why.ends_with("No space left on device"), why);
      return false;
    }
    return true;
  }

  // Nothing but so many complete snapshots.
  void require_snapshots(std::size_t count) const {
    const Store store = Store::open(path_);
    const StoreContents contents = store.list();
    require(contents.unreadable.empty() && contents.snapshots.size() == count,
            "there are other snapshots than those that were kept");
    for (const StoredSnapshot& snapshot : contents.snapshots) {
      require(!Snapshot::open(store.path_of(snapshot.name)).verify(), "a snapshot is damaged");
    }
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      require(entry.path().filename().string().front() != '.', "a rest is left");
    }
  }

  // With more room for each attempt, until one succeeds at once. The option of the mount is how
  // much room there is.
  void attempt_all(const std::string& option, std::size_t unit) const {
    std::size_t failed = 0;
    for (std::size_t room = 1;; ++room) {
      mount(option + std::to_string(room * unit));
      const bool kept = keep(1'000'000'000);
      mount("size=1m,nr_inodes=1000", MS_REMOUNT);
      require(kept || keep(1'000'000'000), "there is enough space, but nothing was kept");
      require_snapshots(1);
      ::umount(small_.c_str());
      if (kept) break;
      ++failed;
    }
    require(failed >= 4, "the disk was full only " + std::to_string(failed) + " times");
  }

  testing::TempTree tree_;
  const std::string small_ = tree_.path("small");
  const std::string path_ = tree_.path("small/above/store");
};

TEST_F(StoreFull, AtAnyPageItIsAsBefore) {
  EXPECT_EQ(testing::in_mount_namespace([&] { attempt_all("size=", 4096); }), 0);
}

TEST_F(StoreFull, AtAnyNewFileItIsAsBefore) {
  EXPECT_EQ(testing::in_mount_namespace([&] { attempt_all("nr_inodes=", 1); }), 0);
}

TEST_F(StoreFull, ItKeepsTheSnapshotsThatItHas) {
  EXPECT_EQ(testing::in_mount_namespace([&] {
              mount("size=1m");
              require(keep(1'000'000'000), "a snapshot takes more than 1 MiB");
              for (std::size_t pages = 1;; ++pages) {
                const auto used = std::filesystem::space(small_);
                const std::size_t size = used.capacity - used.free + pages * 4096;
                mount("size=" + std::to_string(size), MS_REMOUNT);
                const bool kept = keep(2'000'000'000);
                require_snapshots(kept ? 2 : 1);
                if (kept) break;
              }
            }),
            0);
}

}  // namespace
}  // namespace fathom::store
