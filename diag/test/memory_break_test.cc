// Tests of breaks on the live bytes of a tag.

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "counted_traps.h"
#include "ended_child.h"
#include "exit_code_of_child.h"
#include "fathom/diag/break.h"
#include "fathom/diag/memory.h"

namespace fathom::diag {
namespace {

// An allocation that the compiler cannot omit.
class Bytes {
 public:
  explicit Bytes(std::size_t size) : block_(new char[size]) {
    asm volatile("" : : "r"(block_) : "memory");
  }
  ~Bytes() { delete[] block_; }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

 private:
  char* const block_;
};

class MemoryBreak : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_count_memory()) GTEST_SKIP() << "the sanitizer has its own operators new";
    count_memory({.peak_grain = 1, .sample_bytes = 4096});
  }

  const CountedTraps traps_;
};

TEST_F(MemoryBreak, FiresOnceWhenTheTagExceedsItsLimit) {
  const Break on_tag = break_when(MemoryLimit{.tag = "break: once", .bytes = 1000});
  const MemoryScope scope("break: once");
  const Bytes all(1000);
  EXPECT_EQ(CountedTraps::count(), 0);
  const Bytes one(1);
  EXPECT_EQ(CountedTraps::count(), 1);
  const Bytes more(5000);
  EXPECT_EQ(CountedTraps::count(), 1);
  EXPECT_EQ(on_tag.times(), 1U);
}

TEST_F(MemoryBreak, FiresAtTheNextAllocationAfterItIsArmedAgain) {
  Break on_tag = break_when(MemoryLimit{.tag = "break: again", .bytes = 10});
  const MemoryScope scope("break: again");
  const Bytes first(20);
  on_tag.rearm();
  EXPECT_EQ(CountedTraps::count(), 1);
  const Bytes second(1);
  EXPECT_EQ(CountedTraps::count(), 2);
  EXPECT_EQ(on_tag.times(), 2U);
}

TEST_F(MemoryBreak, ComparesWhatIsAliveNotWhatWasAllocated) {
  const Break on_tag = break_when(MemoryLimit{.tag = "break: alive", .bytes = 1000});
  const MemoryScope scope("break: alive");
  for (int i = 0; i < 10; ++i) const Bytes block(900);
  EXPECT_EQ(CountedTraps::count(), 0);
}

TEST_F(MemoryBreak, DoesNotCountOtherTags) {
  const Break on_tag = break_when(MemoryLimit{.tag = "break: own", .bytes = 10});
  const MemoryScope scope("break: other");
  const Bytes block(1000);
  EXPECT_EQ(CountedTraps::count(), 0);
}

TEST_F(MemoryBreak, WithoutATagCountsAllMemory) {
  const std::uint64_t live = memory_report().all.live_bytes;
  const Break on_all = break_when(MemoryLimit{.bytes = live + 100'000});
  const MemoryScope scope("break: a part");
  const Bytes half(60'000);
  EXPECT_EQ(CountedTraps::count(), 0);
  const Bytes rest(60'000);
  EXPECT_EQ(CountedTraps::count(), 1);
}

TEST_F(MemoryBreak, FiresOnceIfManyThreadsExceedIt) {
  const Break on_tag = break_when(MemoryLimit{.tag = "break: threads", .bytes = 50});
  std::vector<std::thread> threads;
  std::latch all_hold(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const MemoryScope scope("break: threads");
      const Bytes block(100);
      all_hold.arrive_and_wait();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CountedTraps::count(), 1);
}

TEST_F(MemoryBreak, EndsWithItsObject) {
  { const Break on_tag = break_when(MemoryLimit{.tag = "break: ended", .bytes = 10}); }
  const MemoryScope scope("break: ended");
  const Bytes block(1000);
  EXPECT_EQ(CountedTraps::count(), 0);
  const Break again = break_when(MemoryLimit{.tag = "break: ended", .bytes = 1000});
  const Bytes more(1);
  EXPECT_EQ(CountedTraps::count(), 1);
}

TEST_F(MemoryBreak, MovesWithItsObject) {
  Break first = break_when(MemoryLimit{.tag = "break: moved", .bytes = 10});
  const Break second = std::move(first);
  const MemoryScope scope("break: moved");
  const Bytes block(1000);
  EXPECT_EQ(CountedTraps::count(), 1);
  EXPECT_EQ(second.times(), 1U);
}

TEST_F(MemoryBreak, RefusesASecondOneForATag) {
  const Break first = break_when(MemoryLimit{.tag = "break: twice", .bytes = 10});
  try {
    const Break second = break_when(MemoryLimit{.tag = "break: twice", .bytes = 20});
    ADD_FAILURE() << "accepted";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "there is a break on tag 'break: twice' already");
  }
}

TEST_F(MemoryBreak, RefusesATagThatIsNotCountedAlone) {
  EXPECT_EQ(exit_code_of_child([] {
              static std::vector<std::string> names;
              for (int i = 0; i < 64; ++i) names.push_back("break: tag " + std::to_string(i));
              for (const std::string& name : names) {
                const MemoryScope scope(name.c_str());
                const Bytes block(1);
              }
              try {
                const Break on_tag = break_when(MemoryLimit{.tag = "break: late", .bytes = 1});
              } catch (const std::length_error& error) {
                return std::string(error.what()) ==
                       "cannot break on tag 'break: late': too many tags are in use";
              }
              return false;
            }),
            0);
}

TEST_F(MemoryBreak, SaysWhatItFound) {
  const EndedChild child = ended_child([] {
    std::signal(SIGTRAP, SIG_DFL);
    const Break on_tag = break_when(MemoryLimit{.tag = "break: last", .bytes = 4096});
    const MemoryScope scope("break: last");
    const Bytes block(5000);
  });
  EXPECT_EQ(child.signal, SIGTRAP);
  EXPECT_TRUE(child.err.starts_with(
      "break: tag 'break: last' has 5000 live bytes, more than 4096 (thread "))
      << child.err;
}

}  // namespace
}  // namespace fathom::diag
