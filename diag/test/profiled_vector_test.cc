// Tests of the profiled vector: it behaves like std::vector and counts its costs.

#include "fathom/diag/profiled_vector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "exit_code_of_child.h"
#include "fathom/base/atomic.h"
#include "fathom/diag/vector_report.h"

namespace fathom::diag {
namespace {

// The figures of vectors constructed in that line of this file.
VectorUsage usage_of(int line) {
  for (const VectorUsage& site : vector_report().sites) {
    if (site.file.ends_with("profiled_vector_test.cc") &&
        site.line == static_cast<std::uint32_t>(line)) {
      return site;
    }
  }
  ADD_FAILURE() << "no vector was constructed in line " << line;
  return {};
}

TEST(ProfiledVector, BehavesLikeAVector) {
  ProfiledVector<int> numbers = {3, 1, 2};
  std::vector<int> same = {3, 1, 2};
  const auto both = [&](auto change) {
    change(numbers);
    change(same);
    ASSERT_TRUE(std::equal(numbers.begin(), numbers.end(), same.begin(), same.end()));
    ASSERT_EQ(numbers.capacity(), same.capacity());
  };
  both([](auto& v) { v.push_back(7); });
  both([](auto& v) { v.emplace_back(8); });
  both([](auto& v) { std::sort(v.begin(), v.end()); });
  both([](auto& v) { v.insert(v.begin() + 1, 9); });
  both([](auto& v) { v.insert(v.cend(), 3, 4); });
  both([](auto& v) { v.insert(v.begin(), {5, 6}); });
  both([](auto& v) { v.erase(v.begin() + 2); });
  both([](auto& v) { v.erase(v.begin(), v.begin() + 2); });
  both([](auto& v) { v.pop_back(); });
  both([](auto& v) { v.resize(20); });
  both([](auto& v) { v.resize(30, 1); });
  both([](auto& v) { v.reserve(100); });
  both([](auto& v) { v.shrink_to_fit(); });
  both([](auto& v) { v.assign(5, 2); });
  both([](auto& v) { v = {1, 2, 3, 4, 5, 6, 7}; });
  both([](auto& v) { v.at(0) = v.back() + v.front() + *v.data(); });
  both([](auto& v) { std::reverse(v.begin(), v.end()); });
  both([](auto& v) { v.push_back(v.front()); });  // one of its own elements
  both([](auto& v) { v.clear(); });
  EXPECT_TRUE(numbers.empty());
}

TEST(ProfiledVector, CountsGrowth) {
  const int line = __LINE__ + 1;
  ProfiledVector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 1000; ++i) numbers.push_back(i);
  const VectorUsage usage = usage_of(line);
  EXPECT_EQ(usage.vectors, 1U);
  EXPECT_EQ(usage.live, 1U);
  EXPECT_EQ(usage.element_bytes, 8U);
  EXPECT_EQ(usage.reallocations, 10U);  // from 1, 2, 4 ... 512; the first block moves nothing
  EXPECT_EQ(usage.reallocated_bytes, 8U * 1023);
  EXPECT_EQ(usage.peak_capacity, 1024U);
}

TEST(ProfiledVector, ReservingSavesGrowth) {
  const int line = __LINE__ + 2;
  {
    ProfiledVector<int> numbers;
    numbers.reserve(100);
    for (int i = 0; i < 60; ++i) numbers.push_back(i);
  }
  const VectorUsage usage = usage_of(line);
  EXPECT_EQ(usage.live, 0U);
  EXPECT_EQ(usage.reallocations, 0U);
  EXPECT_EQ(usage.peak_size, 60U);
  EXPECT_EQ(usage.peak_capacity, 100U);
  EXPECT_EQ(usage.unused_bytes, 40 * sizeof(int));
}

// ---- reserve(): what was requested, and what of it was used

std::string reserve_of(int line) {
  const VectorUsage usage = usage_of(line);
  return std::to_string(usage.reserve_used_bytes) + " of " + std::to_string(usage.reserved_bytes);
}

TEST(ProfiledVector, CountsWhatOfAReservationWasUsed) {
  const int line = __LINE__ + 2;
  {
    ProfiledVector<char> text;
    text.reserve(100);
    text.resize(60);
    text.clear();
    text.reserve(80);  // there is room already
    text.resize(20);
    EXPECT_EQ(reserve_of(line), "0 of 0") << "the vector may still use it";
  }
  EXPECT_EQ(reserve_of(line), "60 of 100");
}

TEST(ProfiledVector, AReservationEndsWithItsBlock) {
  const int line = __LINE__ + 1;
  ProfiledVector<char> text;
  text.reserve(100);
  text.resize(100);
  text.push_back('x');
  EXPECT_EQ(reserve_of(line), "100 of 100");
  text.reserve(1000);
  text.resize(200);
  text.shrink_to_fit();
  EXPECT_EQ(reserve_of(line), "300 of 1100");
}

TEST(ProfiledVector, AReservationDoesNotCountWhatAnEarlierBlockHeld) {
  const int line = __LINE__ + 2;
  {
    ProfiledVector<char> text;
    text.resize(500);
    text.clear();
    text.reserve(1000);
    text.resize(10);
  }
  EXPECT_EQ(reserve_of(line), "10 of 1000");
  EXPECT_EQ(usage_of(line).unused_bytes, 990U);
}

TEST(ProfiledVector, AReservationMovesWithItsBlock) {
  int lines[2] = {};
  {
    lines[0] = __LINE__ + 1;
    ProfiledVector<char> first;
    first.reserve(100);
    ProfiledVector<char> moved = std::move(first);
    moved.resize(30);
    lines[1] = __LINE__ + 1;
    ProfiledVector<char> second;
    second.reserve(200);
    second.resize(50);
    swap(moved, second);
    moved = std::move(second);
    EXPECT_EQ(reserve_of(lines[0]), "50 of 200");
  }
  EXPECT_EQ(reserve_of(lines[0]), "80 of 300");
  EXPECT_EQ(reserve_of(lines[1]), "0 of 0");
}

TEST(ProfiledVector, GrowthWithoutAReservationCountsNone) {
  const int line = __LINE__ + 2;
  {
    ProfiledVector<char> text;
    for (int i = 0; i < 100; ++i) text.push_back('x');
  }
  EXPECT_EQ(reserve_of(line), "0 of 0");
}

TEST(ProfiledVector, TheReportShowsReservations) {
  {
    ProfiledVector<char> text;
    text.reserve(5 << 20);
    text.resize(3 << 20);
  }
  const std::string report = vector_report().text(1000);
  EXPECT_NE(report.find("reserved  of it used"), std::string::npos) << report;
  EXPECT_NE(report.find("5.0 MiB     3.0 MiB"), std::string::npos) << report;
}

TEST(ProfiledVector, CapacityThatWasFilledOnceIsNotUnused) {
  const int line = __LINE__ + 2;
  {
    ProfiledVector<int> numbers;
    numbers.assign(100, 1);
    numbers.clear();
  }
  EXPECT_EQ(usage_of(line).peak_size, 100U);
  EXPECT_EQ(usage_of(line).unused_bytes, 0U);
}

TEST(ProfiledVector, CountsCopiesAndMoves) {
  int assigned_line = 0;
  const int line = __LINE__ + 2;
  {
    ProfiledVector<int> numbers(10, 1);
    const ProfiledVector<int> copy =
        numbers;  // NOLINT(performance-unnecessary-copy-initialization)
    ProfiledVector<int> moved = std::move(numbers);
    EXPECT_EQ(moved, copy);
    assigned_line = __LINE__ + 1;
    ProfiledVector<int> assigned;
    assigned = copy;
    moved = std::move(assigned);
    EXPECT_EQ(moved.size(), 10U);
  }
  const VectorUsage usage = usage_of(line);
  EXPECT_EQ(usage.vectors, 3U);
  EXPECT_EQ(usage.live, 0U);
  EXPECT_EQ(usage.copies, 1U);
  EXPECT_EQ(usage.copied_bytes, 40U);
  EXPECT_EQ(usage.moves, 2U);
  const VectorUsage assigned = usage_of(assigned_line);
  EXPECT_EQ(assigned.copies, 1U);
  EXPECT_EQ(assigned.moves, 0U);
}

TEST(ProfiledVector, CountsTheElementsComparedBySearches) {
  const int line = __LINE__ + 1;
  ProfiledVector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_EQ(numbers.find(9) - numbers.begin(), 9);
  EXPECT_TRUE(numbers.contains(0));
  EXPECT_FALSE(numbers.contains(100));
  const VectorUsage usage = usage_of(line);
  EXPECT_EQ(usage.finds, 3U);
  EXPECT_EQ(usage.compared, 10U + 1U + 100U);
}

TEST(ProfiledVector, SeveralThreadsMaySearchAtTheSameTime) {
  const int line = __LINE__ + 1;
  const ProfiledVector<int> numbers(10, 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) EXPECT_TRUE(numbers.contains(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(usage_of(line).finds, 4000U);
}

TEST(ProfiledVector, CountsShiftedElements) {
  const int line = __LINE__ + 2;
  {
    ProfiledVector<int> numbers(10);
    numbers.reserve(20);
    numbers.insert(numbers.begin(), 1);  // moves 10
    numbers.insert(numbers.end(), 1);    // moves none
    numbers.erase(numbers.begin() + 1);  // moves 10
    numbers.erase(numbers.end() - 1);    // moves none
    numbers.erase(numbers.begin(), numbers.begin());
  }
  EXPECT_EQ(usage_of(line).shifted, 20U);
}

ProfiledVector<int> made_here() {
  return ProfiledVector<int>(3);
}

TEST(ProfiledVector, VectorsOfOnePlaceAreReportedTogether) {
  const int line = __LINE__ - 4;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(made_here().size(), 3U);
  const VectorUsage usage = usage_of(line);
  EXPECT_EQ(usage.vectors, 5U);
  EXPECT_EQ(usage.function, "made_here");
}

TEST(ProfiledVector, HoldsMoveOnlyElements) {
  ProfiledVector<std::unique_ptr<int>> pointers;
  pointers.push_back(std::make_unique<int>(1));
  pointers.emplace_back(std::make_unique<int>(2));
  pointers.insert(pointers.begin(), nullptr);
  const ProfiledVector<std::unique_ptr<int>> moved = std::move(pointers);
  EXPECT_EQ(*moved.back(), 2);
}

TEST(ProfiledVector, TracksUnusedCapacityAcrossMoves) {
  int lines[2] = {};
  {
    lines[0] = __LINE__ + 1;
    ProfiledVector<int> numbers;
    numbers.assign(1000, 1);
    lines[1] = __LINE__ + 1;
    ProfiledVector<int> roomy;
    roomy.reserve(1000);
    roomy.push_back(1);
    numbers = std::move(roomy);
  }
  EXPECT_EQ(usage_of(lines[0]).unused_bytes, 999 * sizeof(int));
  EXPECT_EQ(usage_of(lines[0]).peak_size, 1000U);
  EXPECT_EQ(usage_of(lines[1]).unused_bytes, 0U);
}

TEST(ProfiledVector, TracksUnusedCapacityAcrossSwaps) {
  int lines[2] = {};
  {
    lines[0] = __LINE__ + 1;
    ProfiledVector<int> full;
    full.assign(1000, 1);
    lines[1] = __LINE__ + 1;
    ProfiledVector<int> roomy;
    roomy.reserve(500);
    swap(full, roomy);
  }
  EXPECT_EQ(usage_of(lines[0]).unused_bytes, 500 * sizeof(int));
  EXPECT_EQ(usage_of(lines[1]).unused_bytes, 0U);
}

TEST(ProfiledVector, AForkDuringConstructionsLeavesNothingLocked) {
  if (!kChildrenMayAllocate) GTEST_SKIP() << "this sanitizer's allocator does not support forks";
  base::atomic<bool> over{false};
  std::thread maker([&] {
    while (!over.load(base::memory_order_relaxed)) {
      const ProfiledVector<int> numbers;
      static_cast<void>(vector_report());
    }
  });
  EXPECT_TRUE(succeeds_in_children(100, [] {
    const ProfiledVector<long> numbers(1);
    return !vector_report().sites.empty();
  }));
  over.store(true, base::memory_order_relaxed);
  maker.join();
}

TEST(ProfiledVector, TheReportNamesThePlace) {
  ProfiledVector<int> numbers;
  const std::string place = "TestBody() at profiled_vector_test.cc:" + std::to_string(__LINE__ - 1);
  EXPECT_NE(vector_report().text(1000).find(place), std::string::npos);
}

}  // namespace
}  // namespace fathom::diag
