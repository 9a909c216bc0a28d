// Unsynced: which files are synced one by one, and which together.

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/testing/temp_tree.h"
#include "run/unsynced.h"

namespace fathom::act {
namespace {

class UnsyncedFiles : public ::testing::Test {
 protected:
  // A file in a directory of its own, and that directory.
  void add(int number) {
    const std::string folder = std::to_string(number);
    tree_.write(folder + "/file", "content");
    unsynced_.add_file(base::Fd(::open(tree_.path(folder + "/file").c_str(), O_RDONLY)).get());
    unsynced_.add_folder(base::Fd(::open(tree_.path(folder).c_str(), O_RDONLY)).get());
  }

  [[nodiscard]] std::size_t count(std::string_view step) const {
    return static_cast<std::size_t>(std::count(steps_made_.begin(), steps_made_.end(), step));
  }

  [[nodiscard]] bool syncs_whole() const {
    return MutatingOps::syncs_whole(base::Fd(::open(tree_.path().c_str(), O_RDONLY)).get());
  }

  testing::TempTree tree_;
  std::vector<std::string> steps_made_;
  const std::function<void(std::string_view)> listener_ = [this](std::string_view step) {
    steps_made_.emplace_back(step);
  };
  const MutatingOps ops_{listener_};
  Unsynced unsynced_{ops_};
};

TEST_F(UnsyncedFiles, AFewAreSyncedOneByOneAndOnlyOnce) {
  for (int i = 0; i < 3; ++i) add(i % 2);
  EXPECT_TRUE(steps_made_.empty());
  EXPECT_EQ(unsynced_.sync_all(), 0);
  EXPECT_EQ(steps_made_, std::vector<std::string>(4, "sync"));
  EXPECT_EQ(unsynced_.sync_all(), 0);  // nothing is left
  EXPECT_EQ(steps_made_.size(), 4U);
}

TEST_F(UnsyncedFiles, ManyAreSyncedWithTheirFilesystem) {
  if (!syncs_whole()) GTEST_SKIP() << "syncing the whole filesystem is not known to suffice here";
  for (int i = 0; i < 20; ++i) add(i);
  EXPECT_EQ(count("write out"), 20U);  // each file's content, on every kernel
  EXPECT_EQ(count("sync") + count("sync whole"), 0U);
  EXPECT_EQ(unsynced_.sync_all(), 0);
  EXPECT_EQ(count("sync whole"), 1U);
  EXPECT_EQ(steps_made_.back(), "sync");  // the device's cache
  EXPECT_EQ(count("sync"), 1U);
}

TEST_F(UnsyncedFiles, ManyAreSyncedOneByOneOnUnknownFilesystems) {
  if (syncs_whole()) GTEST_SKIP() << "syncing the whole filesystem suffices here";
  for (int i = 0; i < 20; ++i) add(i);
  EXPECT_EQ(unsynced_.sync_all(), 0);
  EXPECT_EQ(count("sync"), 40U);
  EXPECT_EQ(count("sync whole"), 0U);
}

TEST_F(UnsyncedFiles, AnErrorIsReported) {
  add(0);
  unsynced_.add_file(-1);
  add(1);
  EXPECT_EQ(unsynced_.sync_all(), -EBADF);
  EXPECT_EQ(unsynced_.sync_all(), 0);
}

TEST_F(UnsyncedFiles, ClearedFilesAreNotSynced) {
  for (int i = 0; i < 20; ++i) add(i);
  unsynced_.add_file(-1);
  unsynced_.clear();
  steps_made_.clear();
  EXPECT_EQ(unsynced_.sync_all(), 0);
  EXPECT_TRUE(steps_made_.empty());
}

}  // namespace
}  // namespace fathom::act
