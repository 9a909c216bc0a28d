// parse_events: events as the kernel writes them, and as it never does.

#include "watch/events.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace fathom::fs {
namespace {

using EventBytes = std::vector<std::byte>;

constexpr std::uint64_t kCreate = 0x100;
constexpr std::uint64_t kModify = 0x2;
constexpr std::uint64_t kQueueOverflow = 0x4000;

template <class Number>
void append(EventBytes& bytes, Number number) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&number);
  bytes.insert(bytes.end(), begin, begin + sizeof number);
}

template <class Number>
void overwrite(EventBytes& bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

// A record of that type; its handle has 4 bytes.
EventBytes record(std::uint8_t type, std::uint32_t handle, const std::string& name = {}) {
  EventBytes bytes;
  append(bytes, std::uint16_t{type});
  append(bytes, static_cast<std::uint16_t>(24 + name.size()));
  append(bytes, std::uint64_t{77});  // the filesystem
  append(bytes, std::uint32_t{4});
  append(bytes, std::int32_t{1});
  append(bytes, handle);
  for (const char c : name) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

EventBytes event(std::uint64_t mask, const std::vector<EventBytes>& records) {
  EventBytes bytes;
  append(bytes, std::uint32_t{0});
  append(bytes, std::uint8_t{3});
  append(bytes, std::uint8_t{0});
  append(bytes, std::uint16_t{24});
  append(bytes, mask);
  append(bytes, std::int32_t{-1});
  append(bytes, std::int32_t{1234});
  for (const EventBytes& one : records) bytes.insert(bytes.end(), one.begin(), one.end());
  overwrite(bytes, 0, static_cast<std::uint32_t>(bytes.size()));
  return bytes;
}

EventBytes target(std::uint32_t handle) {
  return record(1, handle);
}
EventBytes named(std::uint32_t handle) {
  return record(2, handle, std::string("name\0\0\0\0", 8));
}

// What is understood: the last 4 bytes of each handle, in order.
struct Understood {
  std::vector<std::uint32_t> handles;
  bool missed = false;
};

Understood understand(const EventBytes& bytes) {
  const Events events = parse_events(bytes);
  Understood understood{.handles = {}, .missed = events.missed};
  for (const ChangedHandle& changed : events.changed) {
    EXPECT_EQ(changed.filesystem, 77U);
    EXPECT_EQ(changed.handle.size(), 12U);
    std::uint32_t handle = 0;
    std::memcpy(&handle, changed.handle.data() + 8, sizeof handle);
    understood.handles.push_back(handle);
  }
  return understood;
}

using Handles = std::vector<std::uint32_t>;

TEST(WatchEvents, OfNamesAreAboutTheDirectoryAndTheTarget) {
  const Understood events = understand(event(kCreate, {named(1), target(2)}));
  EXPECT_FALSE(events.missed);
  EXPECT_EQ(events.handles, (Handles{1, 2}));
}

TEST(WatchEvents, OfContentsAreAboutTheTargetAlone) {
  const Understood events = understand(event(kModify, {named(1), target(2)}));
  EXPECT_FALSE(events.missed);
  EXPECT_EQ(events.handles, Handles{2});
}

TEST(WatchEvents, WithoutATargetAreAboutTheDirectory) {
  EXPECT_EQ(understand(event(kModify, {named(1)})).handles, Handles{1});
  EXPECT_EQ(understand(event(kModify, {record(3, 1)})).handles, Handles{1});
}

TEST(WatchEvents, FollowEachOther) {
  EventBytes bytes = event(kCreate, {named(1), target(2)});
  const EventBytes second = event(kModify, {target(3)});
  bytes.insert(bytes.end(), second.begin(), second.end());
  EXPECT_EQ(understand(bytes).handles, (Handles{1, 2, 3}));
}

TEST(WatchEvents, MayHaveRecordsOfOtherTypes) {
  const Understood events = understand(event(kModify, {record(4, 9), target(2)}));
  EXPECT_FALSE(events.missed);
  EXPECT_EQ(events.handles, Handles{2});
}

TEST(WatchEvents, SayThatTheQueueWasFull) {
  const Understood events = understand(event(kQueueOverflow, {}));
  EXPECT_TRUE(events.missed);
  EXPECT_TRUE(events.handles.empty());
}

TEST(WatchEvents, ThatSayTooLittleAreMissed) {
  EXPECT_TRUE(understand(event(kCreate, {named(1)})).missed);
  EXPECT_TRUE(understand(event(kCreate, {target(1)})).missed);
  EXPECT_TRUE(understand(event(kModify, {})).missed);
}

TEST(WatchEvents, ThatEndTooEarlyAreMissed) {
  const EventBytes whole = event(kCreate, {named(1), target(2)});
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
    const EventBytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_TRUE(understand(part).missed) << bytes;
    EventBytes shortened = part;  // its length is right, but not those of the records
    if (bytes >= 24) overwrite(shortened, 0, static_cast<std::uint32_t>(bytes));
    EXPECT_TRUE(understand(shortened).missed) << bytes;
  }
}

TEST(WatchEvents, WithSenselessLengthsAreMissed) {
  const EventBytes whole = event(kModify, {target(2)});
  const auto with = [&](std::size_t at, auto number) {
    EventBytes changed = whole;
    overwrite(changed, at, number);
    return understand(changed).missed;
  };
  for (const std::uint32_t length : {0U, 1U, 23U, 49U, 0x7fffffffU, 0xffffffffU}) {
    EXPECT_TRUE(with(0, length)) << length;
  }
  EXPECT_TRUE(with(4, std::uint8_t{4})) << "another version";
  for (const int length : {0, 23, 49, 65535}) {
    EXPECT_TRUE(with(6, static_cast<std::uint16_t>(length))) << "of the header: " << length;
  }
  for (const int length : {0, 3, 4, 19, 23, 25, 65535}) {
    EXPECT_TRUE(with(26, static_cast<std::uint16_t>(length))) << "of the record: " << length;
  }
  for (const std::uint32_t length : {0U, 5U, 129U, 0xffffffffU}) {
    EXPECT_TRUE(with(36, length)) << "of the handle: " << length;
  }
}

TEST(WatchEvents, AfterOneThatIsNotUnderstoodCount) {
  EventBytes bytes = event(kCreate, {target(1)});
  const EventBytes second = event(kModify, {target(3)});
  bytes.insert(bytes.end(), second.begin(), second.end());
  const Understood events = understand(bytes);
  EXPECT_TRUE(events.missed);
  EXPECT_EQ(events.handles, Handles{3});
}

}  // namespace
}  // namespace fathom::fs
