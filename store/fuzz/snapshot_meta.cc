// Fuzzes parse_meta(): any text is refused with a base::Error, or read as something that
// write_meta() writes and parse_meta() reads again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fathom/base/error.h"
#include "fathom/store/snapshot.h"

namespace store = fathom::store;

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  store::SnapshotMeta meta;
  try {
    meta = store::parse_meta({reinterpret_cast<const char*>(data), size});
  } catch (const fathom::base::Error&) {
    return 0;
  }
  const std::string text = store::write_meta(meta);
  if (store::write_meta(store::parse_meta(text)) != text) std::abort();
  return 0;
}
