// Fuzzes parse_compared_files(), with the right checksum behind: any bytes are refused with a
// base::Error, or are those that write_compared_files() writes.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fathom/base/error.h"
#include "store/compared_file_text.h"

namespace store = fathom::store;

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  text += store::checksum_of(text);
  fathom::fs::ComparedFiles compared;
  try {
    compared = store::parse_compared_files(text);
  } catch (const fathom::base::Error&) {
    return 0;
  }
  if (store::write_compared_files(compared) != text) std::abort();
  return 0;
}
