// Fuzzes the events of fanotify. What is accepted can be relied on: handles are inside of the
// events, have the size that they claim, and fit into what the kernel takes. Nothing is accepted
// from bytes that say nothing.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fathom/testing/always.h"
#include "watch/events.h"

namespace fathom::fs {
namespace {

using testing::always;

void check(std::span<const std::byte> bytes) {
  const Events events = parse_events(bytes);
  for (const auto& [filesystem, handle] : events.changed) {
    always(handle.data() >= bytes.data() &&
               handle.data() + handle.size() <= bytes.data() + bytes.size(),
           "a handle is outside of the events");
    always(handle.size() > 8 && handle.size() <= kLongestHandle, "a handle has a senseless size");
    std::uint32_t size = 0;
    std::memcpy(&size, handle.data(), sizeof size);
    always(size + 8 == handle.size(), "a handle has another size than it claims");
  }
  always(bytes.empty() || events.missed || !events.changed.empty(), "an event has no result");
}

}  // namespace
}  // namespace fathom::fs

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::fs::check(std::as_bytes(std::span(data, size)));
  return 0;
}
