// Tests of reading context switches from a ring that a kernel has written (Linux 6.18, x86-64).

#include "timeline/switch_records.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "timeline/switch_states.h"

namespace fathom::diag {
namespace {

constexpr std::uint64_t kPositions = std::uint64_t{1} << 40U;  // far from 0, as in a long run

// A thread that sleeps, runs, and is preempted twice by others.
constexpr unsigned char kSleepAndPreemptions[] = {
    0x0e, 0x00, 0x00, 0x00, 0x00, 0x20, 0x18, 0x00, 0xf7, 0x64, 0x18, 0xe6,
    0x8e, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // waits
    0x0e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x00, 0xd4, 0xf9, 0x1a, 0xe6,
    0x8e, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // in
    0x0e, 0x00, 0x00, 0x00, 0x00, 0x60, 0x18, 0x00, 0x81, 0xab, 0x44, 0xe6,
    0x8e, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // preempted
    0x0e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x00, 0xe1, 0xe8, 0xcc, 0xe6,
    0x8e, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // in
};
constexpr Switch kSleeps[] = {
    {.kind = Switch::Kind::waits, .processor = 0, .nanoseconds = 0x048e'e618'64f7},
    {.kind = Switch::Kind::in, .processor = 0, .nanoseconds = 0x048e'e61a'f9d4},
    {.kind = Switch::Kind::preempted, .processor = 0, .nanoseconds = 0x048e'e644'ab81},
    {.kind = Switch::Kind::in, .processor = 0, .nanoseconds = 0x048e'e6cc'e8e1},
};

// After a full ring was read: what the kernel had to drop, and the next switches.
constexpr unsigned char kLoss[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x28, 0x00, 0x95, 0x1d, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x2c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x8d, 0x90, 0x0a, 0x31,
    0x8f, 0x04, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 812 lost
    0x0e, 0x00, 0x00, 0x00, 0x00, 0x20, 0x18, 0x00, 0x8d, 0x90, 0x0a, 0x31, 0x8f, 0x04,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // waits
    0x0e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x00, 0x50, 0x53, 0x0e, 0x31, 0x8f, 0x04,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // in
};
constexpr Switch kAfterLoss[] = {
    {.kind = Switch::Kind::lost, .processor = 1, .nanoseconds = 0x048f'310a'908d, .lost = 812},
    {.kind = Switch::Kind::waits, .processor = 1, .nanoseconds = 0x048f'310a'908d},
    {.kind = Switch::Kind::in, .processor = 1, .nanoseconds = 0x048f'310e'5350},
};

// A ring of 256 bytes with the records at a position.
class RecordedRing {
 public:
  RecordedRing(std::span<const unsigned char> records, std::uint64_t begin)
      : begin_(begin), end_(begin + records.size()) {
    for (std::size_t i = 0; i < records.size(); ++i) at(i) = std::byte(records[i]);
  }
  std::byte& at(std::size_t i) { return bytes_[(begin_ + i) % bytes_.size()]; }
  // Without the last bytes.
  [[nodiscard]] std::vector<Switch> read(std::size_t without = 0) const {
    return read_switches(bytes_, begin_, end_ - without);
  }

 private:
  std::array<std::byte, 256> bytes_{};
  std::uint64_t begin_;
  std::uint64_t end_;
};

std::vector<Switch> all(std::span<const Switch> switches) {
  return {switches.begin(), switches.end()};
}

TEST(SwitchRecords, HaveWaitsAndPreemptionsWithTimeAndProcessor) {
  EXPECT_EQ(RecordedRing(kSleepAndPreemptions, 0).read(), all(kSleeps));
}

TEST(SwitchRecords, MayWrapAroundAnywhere) {
  for (std::uint64_t begin = kPositions; begin < kPositions + 256; ++begin) {
    ASSERT_EQ(RecordedRing(kSleepAndPreemptions, begin).read(), all(kSleeps)) << begin;
    ASSERT_EQ(RecordedRing(kLoss, begin).read(), all(kAfterLoss)) << begin;
  }
}

TEST(SwitchRecords, SayHowManyTheKernelDropped) {
  EXPECT_EQ(RecordedRing(kLoss, kPositions).read(), all(kAfterLoss));
}

TEST(SwitchRecords, AreNoneInAnEmptyRing) {
  EXPECT_TRUE(RecordedRing({}, kPositions).read().empty());
}

TEST(SwitchRecords, OfOtherTypesAreSkipped) {
  RecordedRing ring(kSleepAndPreemptions, kPositions);
  ring.at(24) = std::byte(5);  // PERF_RECORD_THROTTLE
  EXPECT_EQ(ring.read(), (std::vector<Switch>{kSleeps[0], kSleeps[2], kSleeps[3]}));
}

TEST(SwitchRecords, BehindAMalformedOneAreIgnored) {
  for (const int size : {0, 1, 7, 200}) {
    RecordedRing ring(kSleepAndPreemptions, kPositions);
    ring.at(24 + 6) = std::byte(size);
    EXPECT_EQ(ring.read(), (std::vector<Switch>{kSleeps[0]})) << size;
  }
  RecordedRing ring(kSleepAndPreemptions, kPositions);
  ring.at(24 + 6) = std::byte(16);  // too short for its type, so the next one begins in its middle
  EXPECT_EQ(ring.read().front(), kSleeps[0]);
}

TEST(SwitchRecords, ThatAreNotCompleteAreIgnored) {
  for (std::size_t without = 1; without < 24; ++without) {
    EXPECT_EQ(RecordedRing(kSleepAndPreemptions, kPositions).read(without).size(), 3U) << without;
  }
}

TEST(SwitchRecords, BetweenPositionsThatCannotBeAreNone) {
  const std::array<std::byte, 64> ring{};
  EXPECT_TRUE(read_switches(ring, 10, 10 + 65).empty());
  EXPECT_TRUE(read_switches(ring, 10, 9).empty());
}

// ---- What the thread did in between

TEST(SwitchStates, LastFromSwitchToSwitch) {
  SwitchStates states({.kind = Switch::Kind::in, .processor = 1, .nanoseconds = 100});
  auto state = states.next({.kind = Switch::Kind::preempted, .nanoseconds = 130});
  ASSERT_TRUE(state);
  EXPECT_EQ(state->kind, Switch::Kind::in);
  EXPECT_EQ(state->processor, 1U);
  EXPECT_EQ(state->begin, 100U);
  EXPECT_EQ(state->end, 130U);
  state = states.next({.kind = Switch::Kind::in, .processor = 0, .nanoseconds = 150});
  ASSERT_TRUE(state);
  EXPECT_EQ(state->kind, Switch::Kind::preempted);
  EXPECT_EQ(state->end, 150U);
  state = states.until(155);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->processor, 0U);
  EXPECT_EQ(state->begin, 150U);
}

TEST(SwitchStates, AreUnknownAfterALoss) {
  SwitchStates states({.kind = Switch::Kind::in, .nanoseconds = 100});
  EXPECT_FALSE(states.next({.kind = Switch::Kind::lost, .nanoseconds = 200, .lost = 3}));
  EXPECT_FALSE(states.until(250));
  EXPECT_FALSE(states.next({.kind = Switch::Kind::waits, .nanoseconds = 300}));
  EXPECT_TRUE(states.next({.kind = Switch::Kind::in, .nanoseconds = 400}));
}

TEST(SwitchStates, AreOmittedIfTimeGoesBack) {
  SwitchStates states({.kind = Switch::Kind::in, .nanoseconds = 100});
  EXPECT_FALSE(states.next({.kind = Switch::Kind::waits, .nanoseconds = 99}));
}

}  // namespace
}  // namespace fathom::diag
