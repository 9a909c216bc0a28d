// Comparing two files byte by byte, across the borders of blocks.

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "fathom/base/fd.h"
#include "fathom/testing/temp_tree.h"
#include "os/same_bytes.h"

namespace fathom::act {
namespace {

constexpr std::size_t kBlock = 64UL * 1024;

class SameBytes : public ::testing::Test {
 protected:
  int compare(const std::string& a, const std::string& b) {
    tree_.write("a", a);
    tree_.write("b", b);
    const base::Fd left(::open(tree_.path("a").c_str(), O_RDONLY | O_CLOEXEC));
    const base::Fd right(::open(tree_.path("b").c_str(), O_RDONLY | O_CLOEXEC));
    return same_bytes(left.get(), right.get());
  }

  testing::TempTree tree_;
};

TEST_F(SameBytes, AreFoundForEverySize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kBlock - 1, kBlock, kBlock + 1,
                                 2 * kBlock, 3 * kBlock + 7}) {
    EXPECT_EQ(compare(std::string(size, 'x'), std::string(size, 'x')), 1) << size;
  }
}

TEST_F(SameBytes, ADifferenceIsFoundAnywhere) {
  const std::string text(2 * kBlock + 5, 'x');
  for (const std::size_t at : {std::size_t{0}, kBlock - 1, kBlock, 2 * kBlock, text.size() - 1}) {
    std::string other = text;
    other[at] = 'y';
    EXPECT_EQ(compare(text, other), 0) << at;
    EXPECT_EQ(compare(other, text), 0) << at;
  }
}

TEST_F(SameBytes, APrefixOfAFileIsNotEqual) {
  const std::string text(2 * kBlock, 'x');
  for (const std::size_t size : {std::size_t{0}, kBlock - 1, kBlock, kBlock + 1}) {
    EXPECT_EQ(compare(text, text.substr(0, size)), 0) << size;
    EXPECT_EQ(compare(text.substr(0, size), text), 0) << size;
  }
}

TEST_F(SameBytes, AReadErrorIsReported) {
  tree_.write("a", "same");
  const base::Fd file(::open(tree_.path("a").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(same_bytes(file.get(), -1), -EBADF);
  EXPECT_EQ(same_bytes(-1, file.get()), -EBADF);
}

}  // namespace
}  // namespace fathom::act
