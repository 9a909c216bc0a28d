// Subdirectories: what waits is returned in order, whole, and once.

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <string>
#include <tuple>

#include "walk/directory.h"
#include "walk/subdirectories.h"

namespace fathom::fs {
namespace {

class NoVisitor final : public DirectoryVisitor {
 public:
  void visit(Directory& /*directory*/, unsigned /*worker*/) noexcept override {}
  void visit_names(Directory& /*directory*/, const os::NameBlock& /*names*/,
                   unsigned /*worker*/) noexcept override {}
  void visit_subdirectories(Subdirectories& /*waiting*/, unsigned /*worker*/) noexcept override {}
  HeldDescriptors& held() override { return held_; }

 private:
  HeldDescriptors held_{0};
};

using Expected = std::tuple<std::string, std::uint64_t, bool>;

Expected taken_from(Subdirectories& waiting) {
  Directory* const next = waiting.take();
  const Expected found{next->name(), next->inode_in_volume(), next->picked()};
  next->release();
  return found;
}

TEST(Subdirectories, AreTakenInTheOrderInWhichTheyWereAdded) {
  NoVisitor visitor;
  auto* const root = new Directory(visitor, 0, "/", true);
  std::deque<Expected> expected;
  {
    Subdirectories waiting(*root);
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
      const Expected one{std::string(1 + random() % 255, static_cast<char>(1 + random() % 255)),
                         random() % 2 == 0 ? 0 : std::uint64_t{random()} << 20, random() % 2 == 0};
      waiting.add(std::get<0>(one), std::get<1>(one), std::get<2>(one));
      expected.push_back(one);
      if (random() % 3 == 0) {
        EXPECT_EQ(taken_from(waiting), expected.front());
        expected.pop_front();
      }
    }
    while (!expected.empty()) {
      ASSERT_EQ(waiting.size(), expected.size());
      EXPECT_EQ(taken_from(waiting), expected.front());
      expected.pop_front();
    }
    EXPECT_EQ(waiting.size(), 0U);
  }
  root->release();
}

TEST(Subdirectories, AreSplitWithoutLossInAnyState) {
  NoVisitor visitor;
  auto* const root = new Directory(visitor, 0, "/", true);
  for (std::size_t total = 2; total < 20; ++total) {
    for (std::size_t before = 0; before + 2 <= total; ++before) {
      Subdirectories first(*root);
      for (std::size_t i = 0; i < total; ++i) first.add(std::to_string(i), i, true);
      for (std::size_t i = 0; i < before; ++i) taken_from(first);
      const std::unique_ptr<Subdirectories> second = first.split();
      ASSERT_GE(first.size(), 1U);
      ASSERT_GE(second->size(), 1U);
      ASSERT_EQ(first.size() + second->size(), total - before);
      std::size_t next = before;
      for (Subdirectories* const half : {&first, second.get()}) {
        while (half->size() > 0) {
          EXPECT_EQ(taken_from(*half), Expected(std::to_string(next), next, true));
          ++next;
        }
      }
      EXPECT_EQ(next, total);
    }
  }
  root->release();
}

}  // namespace
}  // namespace fathom::fs
