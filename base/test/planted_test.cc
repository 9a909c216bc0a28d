// Tests of planted names.

#include "fathom/base/planted.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "fathom/testing/temp_tree.h"

namespace fathom::base {
namespace {

struct stat status_of(mode_t mode, uid_t owner) {
  struct stat status {};
  status.st_mode = mode;
  status.st_uid = owner;
  return status;
}

TEST(Planted, IsWhatAStrangerPutsWhereEverybodyMay) {
  const uid_t me = ::geteuid();
  const uid_t owner = me + 1;
  const uid_t stranger = me + 2;
  const struct stat shared = status_of(S_IFDIR | 01777, owner);
  EXPECT_TRUE(is_planted(shared, status_of(S_IFLNK | 0777, stranger)));
  EXPECT_TRUE(is_planted(shared, status_of(S_IFREG | 0644, stranger)));
  EXPECT_FALSE(is_planted(shared, status_of(S_IFLNK | 0777, me)));
  EXPECT_FALSE(is_planted(shared, status_of(S_IFLNK | 0777, owner)));
  for (const mode_t mode : {0755, 0777, 01755, 01775}) {
    EXPECT_FALSE(is_planted(status_of(S_IFDIR | mode, owner), status_of(S_IFLNK, stranger)));
  }
}

TEST(Planted, IsNothingWhereNothingIs) {
  testing::TempTree tree;
  EXPECT_FALSE(is_planted(tree.path("missing")));
  EXPECT_FALSE(is_planted(tree.path("missing/name")));
  tree.write("file", "");
  EXPECT_FALSE(is_planted(tree.path("file")));
}

}  // namespace
}  // namespace fathom::base
