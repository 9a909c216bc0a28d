// Tests of decoding the kernel's records.

#include "threads/switch_record.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <vector>

namespace fathom::diag {
namespace {

using Kind = SwitchRecord::Kind;

// A record: the body, then the end that all have.
class Bytes {
 public:
  Bytes(std::uint32_t type, std::uint16_t misc) {
    header_.type = type;
    header_.misc = misc;
    add(header_);
  }
  template <class T>
  Bytes& add(const T& value) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
    return *this;
  }
  Bytes& add_id() {
    return add(std::uint32_t{7})
        .add(std::uint32_t{8})
        .add(std::uint64_t{123})
        .add(std::uint64_t{3});
  }
  std::optional<SwitchRecord> decoded() {
    header_.size = static_cast<std::uint16_t>(bytes_.size());
    std::memcpy(bytes_.data(), &header_, sizeof header_);
    return decode_switch_record(bytes_);
  }

 private:
  perf_event_header header_ = {};
  std::vector<std::byte> bytes_;
};

TEST(DecodeSwitchRecord, AThreadRuns) {
  const auto record = Bytes(PERF_RECORD_SWITCH, 0).add_id().decoded();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->kind, Kind::runs);
  EXPECT_EQ(record->process, 7);
  EXPECT_EQ(record->thread, 8);
  EXPECT_EQ(record->time, 123U);
  EXPECT_EQ(record->cpu, 3U);
}

TEST(DecodeSwitchRecord, AThreadPausesOrIsPreempted) {
  constexpr std::uint16_t kOut = PERF_RECORD_MISC_SWITCH_OUT;
  const auto paused = Bytes(PERF_RECORD_SWITCH, kOut).add_id().decoded();
  ASSERT_TRUE(paused);
  EXPECT_EQ(paused->kind, Kind::pauses);
  EXPECT_FALSE(paused->preempted);
  constexpr std::uint16_t kPreempted = kOut | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
  const auto preempted = Bytes(PERF_RECORD_SWITCH, kPreempted).add_id().decoded();
  ASSERT_TRUE(preempted);
  EXPECT_TRUE(preempted->preempted);
}

TEST(DecodeSwitchRecord, AThreadBeginsAndEnds) {
  for (const auto& [type, kind] :
       {std::pair(PERF_RECORD_FORK, Kind::begins), std::pair(PERF_RECORD_EXIT, Kind::ends)}) {
    Bytes bytes(type, 0);
    for (const std::uint32_t id : {20U, 10U, 21U, 11U}) bytes.add(id);
    const auto record = bytes.add(std::uint64_t{123}).add_id().decoded();
    ASSERT_TRUE(record);
    EXPECT_EQ(record->kind, kind);
    EXPECT_EQ(record->process, 20);
    EXPECT_EQ(record->thread, 21);
    EXPECT_EQ(record->parent, 11);
  }
}

TEST(DecodeSwitchRecord, AThreadIsNamed) {
  const char name[16] = "two words";
  Bytes bytes(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
  const auto record =
      bytes.add(std::uint32_t{20}).add(std::uint32_t{21}).add(name).add_id().decoded();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->kind, Kind::named);
  EXPECT_EQ(record->thread, 21);
  EXPECT_EQ(record->name, "two words");
  EXPECT_TRUE(record->executes);
}

TEST(DecodeSwitchRecord, LostRecordsAreCounted) {
  const auto record =
      Bytes(PERF_RECORD_LOST, 0).add(std::uint64_t{5}).add(std::uint64_t{42}).add_id().decoded();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->kind, Kind::lost);
  EXPECT_EQ(record->count, 42U);
  EXPECT_EQ(record->cpu, 3U);
  const auto old =
      Bytes(PERF_RECORD_LOST, 0).add(std::uint64_t{5}).add(std::uint64_t{42}).decoded();
  ASSERT_TRUE(old);
  EXPECT_EQ(old->count, 42U);
}

TEST(DecodeSwitchRecord, OtherAndIncompleteRecordsAreNone) {
  EXPECT_FALSE(Bytes(PERF_RECORD_THROTTLE, 0).add_id().decoded());
  EXPECT_FALSE(Bytes(PERF_RECORD_SWITCH, 0).decoded());
  EXPECT_FALSE(Bytes(PERF_RECORD_FORK, 0).add_id().decoded());
  EXPECT_FALSE(Bytes(PERF_RECORD_COMM, 0).add(std::uint32_t{1}).add_id().decoded());
  EXPECT_FALSE(Bytes(PERF_RECORD_LOST, 0).decoded());
  EXPECT_FALSE(decode_switch_record({}));
}

}  // namespace
}  // namespace fathom::diag
