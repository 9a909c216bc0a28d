// Tests of thread names and their truncation.

#include "fathom/base/thread_name.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <string>
#include <thread>

namespace fathom::base {
namespace {

std::string name_of_a_thread_called(std::string_view name, unsigned index) {
  std::array<char, 64> seen{};
  std::thread([&] {
    name_this_thread(name, index);
    ::pthread_getname_np(::pthread_self(), seen.data(), seen.size());
  }).join();
  return seen.data();
}

TEST(ThreadName, HasTheNumberOfTheThread) {
  EXPECT_EQ(name_of_a_thread_called("walker", 3), "walker/3");
}

TEST(ThreadName, IsTruncatedBeforeTheNumber) {
  EXPECT_EQ(name_of_a_thread_called("a name of many letters", 1234), "a name of /1234");
}

}  // namespace
}  // namespace fathom::base
