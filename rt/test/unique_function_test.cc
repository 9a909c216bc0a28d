// Tests of UniqueFunction: what it stores where, and when it destroys it.

#include "fathom/rt/unique_function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "allocations.h"

namespace fathom::rt {
namespace {

using Get = UniqueFunction<int()>;

TEST(UniqueFunction, CallsWhatItOwns) {
  Get get = [owned = std::make_unique<int>(7)] { return *owned; };
  EXPECT_EQ(get(), 7);
  Get other = std::move(get);
  EXPECT_EQ(other(), 7);
}

TEST(UniqueFunction, PassesArgumentsAndResultsOnWithoutCopies) {
  UniqueFunction<std::unique_ptr<int>(std::unique_ptr<int>, int&)> add = [](std::unique_ptr<int> to,
                                                                            int& by) {
    *to += by++;
    return to;
  };
  int by = 2;
  EXPECT_EQ(*add(std::make_unique<int>(3), by), 5);
  EXPECT_EQ(by, 3);
  UniqueFunction<std::size_t(const std::string&)> size = &std::string::size;
  EXPECT_EQ(size("four"), 4U);
  UniqueFunction<void()> ignoring = [] { return 1; };
  ignoring();
}

TEST(UniqueFunction, KeepsItsState) {
  Get count = [n = 0]() mutable { return ++n; };
  EXPECT_EQ(count(), 1);
  Get moved = std::move(count);
  EXPECT_EQ(moved(), 2);
}

TEST(UniqueFunction, PassesExceptionsOn) {
  UniqueFunction<void()> fail = [] { throw std::runtime_error("no"); };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_THROW(fail(), std::runtime_error);
}

int seven() {
  return 7;
}

TEST(UniqueFunction, IsEmptyWithoutAFunctionAndAfterAMove) {
  int (*const none)() = nullptr;
  EXPECT_FALSE(Get());
  EXPECT_FALSE(Get(nullptr));
  EXPECT_FALSE(Get(none));
  Get get = seven;
  EXPECT_TRUE(get != nullptr);
  const Get taken = std::exchange(get, nullptr);
  EXPECT_TRUE(get == nullptr);
  EXPECT_TRUE(taken);
  get = [] { return 8; };
  EXPECT_EQ(get(), 8);
}

// Counts the objects that exist.
template <std::size_t bytes, bool moves_may_throw = false>
struct Counted {
  explicit Counted(int& count) : alive(&count) { ++*alive; }
  Counted(Counted&& other) noexcept(!moves_may_throw) : alive(other.alive) { ++*alive; }
  Counted& operator=(Counted&&) = delete;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive; }
  int operator()() const { return *alive; }

  int* alive;
  std::array<std::byte, bytes - sizeof(int*)> rest = {};
};

template <class F>
std::size_t allocations_of(int& alive) {
  const std::size_t before = Allocations::alive();
  Get first = F(alive);
  EXPECT_EQ(first(), 1);
  Get second = std::move(first);
  EXPECT_EQ(second(), 1);
  first = std::move(second);
  EXPECT_EQ(first(), 1);
  Get* const self = &first;
  first = std::move(*self);
  EXPECT_EQ(first(), 1);
  return Allocations::alive() - before;
}

TEST(UniqueFunction, AllocatesOnlyForLargeOrThrowingFunctions) {
  int alive = 0;
  EXPECT_EQ(allocations_of<Counted<16>>(alive), 0U);
  EXPECT_EQ(allocations_of<Counted<Get::kRoom>>(alive), 0U);
  EXPECT_EQ(allocations_of<Counted<Get::kRoom + 8>>(alive), 1U);
  EXPECT_EQ((allocations_of<Counted<16, true>>(alive)), 1U);
  EXPECT_EQ(alive, 0);
}

TEST(UniqueFunction, AlignsWhatItStores) {
  struct alignas(64) Aligned {
    bool operator()() const { return reinterpret_cast<std::uintptr_t>(this) % 64 == 0; }
  };
  std::vector<UniqueFunction<bool()>> all;
  for (int i = 0; i < 5; ++i) all.emplace_back(Aligned());
  for (auto& each : all) EXPECT_TRUE(each());
}

// Its destructor finds the object that holds it empty.
TEST(UniqueFunction, IsEmptyWhileItsFunctionIsDestroyed) {
  Get get;
  bool was_empty = false;
  const auto look = [&](int*) { was_empty = get == nullptr; };
  int number = 7;
  get = [owned = std::unique_ptr<int, decltype(look)>(&number, look)] { return *owned; };
  get = nullptr;
  EXPECT_TRUE(was_empty);
}

static_assert(!std::is_copy_constructible_v<Get>);
static_assert(std::is_nothrow_move_constructible_v<Get>);
static_assert(!std::is_constructible_v<Get, void (*)()>);
// The room, a pointer, and what aligns the next one.
static_assert(sizeof(Get) == Get::kRoom + std::max(sizeof(void*), alignof(std::max_align_t)));

}  // namespace
}  // namespace fathom::rt
