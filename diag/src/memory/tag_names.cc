// MemoryTagNames: a lock-free table of names.

#include "memory/tag_names.h"

#include <cstring>

namespace fathom::diag {

std::uint8_t MemoryTagNames::number_of(const char* name) noexcept {
  if (name == nullptr) return kNone;
  for (std::uint8_t number = kNone + 1; number < kOther; ++number) {
    const char* known = names_[number].load(base::memory_order_relaxed);
    if (known == nullptr &&
        names_[number].compare_exchange_strong(known, name, base::memory_order_relaxed)) {
      return number;
    }
    if (known == name || std::strcmp(known, name) == 0) return number;
  }
  return kOther;
}

const char* MemoryTagNames::name_of(std::size_t number) noexcept {
  if (number == kNone) return "(no tag)";
  if (number == kOther) return "(more tags)";
  return names_[number].load(base::memory_order_relaxed);
}

}  // namespace fathom::diag
