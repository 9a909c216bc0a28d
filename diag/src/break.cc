// break_when(): finding the limit of a tag or of a lock.

#include "fathom/diag/break.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include "fathom/base/throw.h"
#include "lock/registry.h"
#include "memory/breaks.h"
#include "memory/count.h"
#include "memory/tag_names.h"

namespace fathom::diag {

namespace {

BreakLimit& claimed(BreakLimit& limit, const std::string& what) {
  if (!limit.claim()) FATHOM_THROW(std::logic_error, "there is a break on " + what + " already");
  return limit;
}

// The tag's number, or that of all tags.
std::size_t sum_of(const char* tag) {
  if (tag == nullptr) return kMemoryOfAllTags;
  const std::uint8_t number = MemoryTagNames::number_of(tag);
  if (number == MemoryTagNames::kOther) {
    FATHOM_THROW(std::length_error,
                 "cannot break on tag '" + std::string(tag) + "': too many tags are in use");
  }
  return number;
}

}  // namespace

Break break_when(MemoryLimit limit) {
  if (!MemoryCount::counts()) {
    FATHOM_THROW(std::logic_error, "cannot break on memory that is not being counted");
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max() - 1;
  const std::size_t sum = sum_of(limit.tag);
  const std::string what =
      limit.tag == nullptr ? "all memory" : "tag '" + std::string(limit.tag) + '\'';
  return {claimed(MemoryBreaks::of(sum), what),
          static_cast<std::int64_t>(std::min(limit.bytes, kMost))};
}

Break break_when(WaitLimit limit) {
  if (limit.lock.empty()) FATHOM_THROW(std::invalid_argument, "a break on a lock needs its name");
  if (limit.time.count() < 0) {
    FATHOM_THROW(std::invalid_argument, "a break on a lock needs a time of 0 or more");
  }
  const std::string name(limit.lock);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() - 1;
  return {claimed(LockRegistry::all().name(name).longest_wait, "lock '" + name + '\''),
          std::min<std::int64_t>(limit.time.count(), kMost)};
}

}  // namespace fathom::diag
