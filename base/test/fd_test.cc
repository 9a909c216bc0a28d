// Fd: who closes a descriptor, and when.

#include "fathom/base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <type_traits>
#include <utility>

namespace fathom::base {
namespace {

static_assert(!std::is_copy_constructible_v<Fd> && !std::is_copy_assignable_v<Fd>);
static_assert(std::is_nothrow_move_constructible_v<Fd> && std::is_nothrow_move_assignable_v<Fd>);

int open_null() {
  return ::open("/dev/null", O_WRONLY | O_CLOEXEC);
}

bool is_open(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) >= 0;
}

TEST(Fd, ClosesItsDescriptorAtTheEnd) {
  const int descriptor = open_null();
  {
    const Fd owner(descriptor);
    EXPECT_TRUE(owner);
    EXPECT_EQ(owner.get(), descriptor);
    EXPECT_TRUE(is_open(descriptor));
  }
  EXPECT_FALSE(is_open(descriptor));
}

TEST(Fd, MayHaveNone) {
  EXPECT_FALSE(Fd());
  EXPECT_FALSE(Fd(-1));
  EXPECT_FALSE(Fd(-ENOENT));
  EXPECT_LT(Fd().get(), 0);
}

TEST(Fd, MayBeNumberZero) {
  const Fd standard_input(::dup(STDIN_FILENO));
  if (standard_input) ::close(STDIN_FILENO);
  Fd zero(open_null());
  EXPECT_EQ(zero.get(), 0);
  EXPECT_TRUE(zero);
  zero.reset();
  EXPECT_FALSE(is_open(0));
  if (standard_input) ::dup2(standard_input.get(), STDIN_FILENO);
}

TEST(Fd, IsMovedWithItsDescriptor) {
  Fd from(open_null());
  const int descriptor = from.get();
  Fd to(std::move(from));
  EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move): it has none
  EXPECT_EQ(to.get(), descriptor);
  EXPECT_TRUE(is_open(descriptor));
}

TEST(Fd, ClosesItsDescriptorWhenAnotherIsMovedToIt) {
  Fd from(open_null());
  Fd to(open_null());
  const int descriptor = from.get();
  const int replaced = to.get();
  to = std::move(from);
  EXPECT_EQ(to.get(), descriptor);
  EXPECT_TRUE(is_open(descriptor));
  EXPECT_FALSE(is_open(replaced));
}

TEST(Fd, SurvivesAMoveToItself) {
  Fd owner(open_null());
  Fd& same = owner;
  owner = std::move(same);
  EXPECT_TRUE(is_open(owner.get()));
}

TEST(Fd, LeavesAReleasedDescriptorOpen) {
  int descriptor = -1;
  {
    Fd owner(open_null());
    descriptor = owner.release();
    EXPECT_FALSE(owner);
  }
  EXPECT_TRUE(is_open(descriptor));
  ::close(descriptor);
}

TEST(Fd, TakesAnotherDescriptorWhenReset) {
  Fd owner(open_null());
  const int first = owner.get();
  const int second = open_null();
  owner.reset(second);
  EXPECT_FALSE(is_open(first));
  EXPECT_EQ(owner.get(), second);
  owner.reset();
  EXPECT_FALSE(is_open(second));
  EXPECT_FALSE(owner);
}

TEST(Fd, KeepsErrnoWhenItCloses) {
  const int descriptor = open_null();
  ::close(descriptor);
  {
    const Fd owner(descriptor);  // closing it fails with EBADF
    errno = ENOSPC;
  }
  EXPECT_EQ(errno, ENOSPC);
}

TEST(Fd, ReportsErrorsOfClosingOnRequest) {
  Fd owner(open_null());
  EXPECT_EQ(owner.close(), 0);
  EXPECT_FALSE(owner);
  EXPECT_EQ(owner.close(), 0);  // nothing is left to close
  const int descriptor = open_null();
  ::close(descriptor);
  Fd closed(descriptor);
  EXPECT_EQ(closed.close(), EBADF);
  EXPECT_FALSE(closed);
}

}  // namespace
}  // namespace fathom::base
