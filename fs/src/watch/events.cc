// parse_events: the layout is part of the kernel's interface, so it needs no header of Linux.

#include "watch/events.h"

#include <cstring>
#include <optional>

namespace fathom::fs {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint64_t kNames = 0x40 | 0x80 | 0x100 | 0x200;  // moved from and to, create, delete
constexpr std::uint64_t kOverflow = 0x4000;                    // FAN_Q_OVERFLOW
constexpr std::uint8_t kVersion = 3;                           // FANOTIFY_METADATA_VERSION
constexpr std::size_t kEventHeader = 24;                       // bytes of fanotify_event_metadata
constexpr std::size_t kRecordHeader = 4;     // bytes of fanotify_event_info_header
constexpr std::size_t kFilesystemBytes = 8;  // of f_fsid
constexpr std::size_t kHandleHeader = 8;     // its size and type

// FAN_EVENT_INFO_TYPE_*
enum RecordType : std::uint8_t {
  kTarget = 1,
  kDirectoryAndName = 2,
  kDirectory = 3,
};

template <class Number>
Number number_at(Bytes bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// Removes the bytes from the beginning and returns them. Nothing if there are fewer, or if they
// would not even have the header, so that nothing is taken for ever.
std::optional<Bytes> take(Bytes& from, std::size_t bytes, std::size_t header) {
  if (bytes < header || bytes > from.size()) return std::nullopt;
  const Bytes taken = from.first(bytes);
  from = from.subspan(bytes);
  return taken;
}

std::optional<Bytes> take_event(Bytes& from) {
  if (from.size() < kEventHeader) return std::nullopt;
  return take(from, number_at<std::uint32_t>(from, 0), kEventHeader);
}

std::optional<Bytes> take_record(Bytes& from) {
  if (from.size() < kRecordHeader) return std::nullopt;
  return take(from, number_at<std::uint16_t>(from, 2), kRecordHeader);
}

// Of a record that has one. A handle without bytes stands for an inode that has none.
std::optional<ChangedHandle> handle_of(Bytes record) {
  constexpr std::size_t kAt = kRecordHeader + kFilesystemBytes;
  if (record.size() < kAt + kHandleHeader) return std::nullopt;
  const std::size_t bytes = number_at<std::uint32_t>(record, kAt);
  if (bytes == 0 || bytes > kLongestHandle - kHandleHeader) return std::nullopt;
  if (bytes > record.size() - kAt - kHandleHeader) return std::nullopt;
  return ChangedHandle{.filesystem = number_at<std::uint64_t>(record, kRecordHeader),
                       .handle = record.subspan(kAt, kHandleHeader + bytes)};
}

// What an event is about. Either may be missing.
struct Subjects {
  std::optional<ChangedHandle> directory;
  std::optional<ChangedHandle> target;
};

// Nothing if the records are malformed. Records of other types are about the process.
std::optional<Subjects> subjects_of(Bytes records) {
  Subjects subjects;
  while (!records.empty()) {
    const auto record = take_record(records);
    if (!record) return std::nullopt;
    const auto type = number_at<std::uint8_t>(*record, 0);
    if (type != kTarget && type != kDirectoryAndName && type != kDirectory) continue;
    auto& place = type == kTarget ? subjects.target : subjects.directory;
    place = handle_of(*record);
    if (!place) return std::nullopt;
  }
  return subjects;
}

// Adds what one event says; false if it says too little.
bool add(Bytes event, std::vector<ChangedHandle>& changed) {
  const std::size_t header = number_at<std::uint16_t>(event, 6);
  if (number_at<std::uint8_t>(event, 4) != kVersion) return false;
  if (header < kEventHeader || header > event.size()) return false;
  const auto mask = number_at<std::uint64_t>(event, 8);
  if ((mask & kOverflow) != 0) return false;
  const auto subjects = subjects_of(event.subspan(header));
  if (!subjects) return false;
  const auto& [directory, target] = *subjects;
  if ((mask & kNames) != 0) {
    // What had the name matters too: a hard link of it has one link less.
    if (!directory || !target) return false;
    changed.push_back(*directory);
    changed.push_back(*target);
    return true;
  }
  // An event about a directory itself has it in the place of the one that contains a target.
  if (!directory && !target) return false;
  changed.push_back(target ? *target : *directory);
  return true;
}

}  // namespace

Events parse_events(Bytes bytes) {
  Events events;
  while (!bytes.empty()) {
    const auto event = take_event(bytes);
    if (!event || !add(*event, events.changed)) events.missed = true;
    if (!event) break;  // where the next one begins is unknown
  }
  return events;
}

}  // namespace fathom::fs
