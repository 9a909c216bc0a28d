// SwitchRecords: the layout of perf_event_open(2), with numbers of our own, so that recorded rings
// can be read on any system.

#include "timeline/switch_records.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace fathom::diag {

namespace {

constexpr std::uint32_t kLostRecord = 2;
constexpr std::uint32_t kSwitchRecord = 14;
constexpr std::uint16_t kOut = 1U << 13U;
constexpr std::uint16_t kPreempted = 1U << 14U;

struct RecordHeader {
  std::uint32_t type;
  std::uint16_t misc;
  std::uint16_t size;  // of the record, with the header
};

// At the end of each record.
struct RecordSample {
  std::uint64_t nanoseconds;
  std::uint32_t processor;
  std::uint32_t unused;
};

struct SwitchRecord {
  RecordHeader header;
  RecordSample sample;
};

struct LostRecord {
  RecordHeader header;
  std::uint64_t event;
  std::uint64_t lost;
  RecordSample sample;
};

// Records may wrap around at the end of the ring.
template <class T>
T copied(std::span<const std::byte> ring, std::uint64_t at) {
  T record;
  auto* const bytes = reinterpret_cast<std::byte*>(&record);
  const std::size_t begin = at & (ring.size() - 1);
  const std::size_t first = std::min(sizeof record, ring.size() - begin);
  std::memcpy(bytes, ring.data() + begin, first);
  std::memcpy(bytes + first, ring.data(), sizeof record - first);
  return record;
}

Switch::Kind kind_of(std::uint16_t misc) {
  if ((misc & kOut) == 0) return Switch::Kind::in;
  return (misc & kPreempted) != 0 ? Switch::Kind::preempted : Switch::Kind::waits;
}

std::optional<Switch> switch_at(std::span<const std::byte> ring, std::uint64_t at,
                                const RecordHeader& header) {
  if (header.type == kSwitchRecord && header.size >= sizeof(SwitchRecord)) {
    const auto record = copied<SwitchRecord>(ring, at);
    return Switch{.kind = kind_of(header.misc),
                  .processor = record.sample.processor,
                  .nanoseconds = record.sample.nanoseconds};
  }
  if (header.type == kLostRecord && header.size >= sizeof(LostRecord)) {
    const auto record = copied<LostRecord>(ring, at);
    return Switch{.kind = Switch::Kind::lost,
                  .processor = record.sample.processor,
                  .nanoseconds = record.sample.nanoseconds,
                  .lost = record.lost};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Switch> read_switches(std::span<const std::byte> ring, std::uint64_t begin,
                                  std::uint64_t end) {
  std::vector<Switch> switches;
  if (end - begin > ring.size()) return switches;
  while (end - begin >= sizeof(RecordHeader)) {
    const auto header = copied<RecordHeader>(ring, begin);
    if (header.size < sizeof header || header.size > end - begin) break;
    if (const std::optional<Switch> found = switch_at(ring, begin, header)) {
      switches.push_back(*found);
    }
    begin += header.size;
  }
  return switches;
}

}  // namespace fathom::diag
