// Tests of HeldBodies: what is held counts until it is released.

#include "held_bodies.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

namespace fathom::web {
namespace {

TEST(HeldBodies, CountAsLongAsSomebodyRefersToThem) {
  HeldBodies bodies;
  auto first = bodies.hold("12345");
  const auto second = bodies.hold("678");
  const auto again = first;
  EXPECT_EQ(*first, "12345");
  EXPECT_EQ(bodies.bytes(), 8U);
  first.reset();
  EXPECT_EQ(bodies.bytes(), 8U);
}

TEST(HeldBodies, AreReleasedByAnotherThread) {
  HeldBodies bodies;
  std::thread([held = bodies.hold("12345")]() mutable { held.reset(); }).join();
  EXPECT_EQ(bodies.bytes(), 0U);
}

TEST(HeldBodies, MayBeReleasedAfterTheirEnd) {
  std::shared_ptr<const std::string> held;
  {
    HeldBodies bodies;
    held = bodies.hold("12345");
  }
  EXPECT_EQ(*held, "12345");
}

}  // namespace
}  // namespace fathom::web
