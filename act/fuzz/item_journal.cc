// Fuzzes read_item_journal(): for any text, it throws a base::Error, or its result stays within the
// text and leads nowhere. A journal that can be read can also be read if it is truncated anywhere.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/base/error.h"
#include "fathom/fs/source.h"
#include "fathom/testing/always.h"
#include "items/item_journal.h"
#include "os/safe_open.h"

namespace fathom::act {
namespace {

// Longer texts take too long to truncate at every byte.
constexpr std::size_t kLongest = 300;

void expect_sound(const ItemJournalText& journal, std::size_t size) {
  testing::always(journal.length <= size, "more was read than there is");
  testing::always(journal.head || journal.entries.empty(), "there are items without a head");
  if (!journal.head) return;
  for (const std::string& root : journal.head->roots)
    testing::always(is_plain_root(root), "a bad root");
  for (const auto& [item, entry] : journal.entries) {
    testing::always(entry.root < journal.head->roots.size(), "an item has no root");
    testing::always(is_plain_path(entry.path), "a path leads out of its root");
    if (entry.action == Action::remove) continue;
    testing::always(is_plain_root(entry.place) && is_plain_path(entry.to),
                    "a place leads elsewhere");
  }
}

// The remains after a power cut: the beginning, followed by zeros.
void expect_can_be_cut(std::string_view text) {
  for (std::size_t length = text.size(); length-- > 0;) {
    const std::string_view part = text.substr(0, length);
    const ItemJournalText read = read_item_journal(fs::text_source(part));
    expect_sound(read, length);
    std::string padded = std::string(part) + std::string(9, '\0');
    if (read.head) padded += '\n';  // without a head, only zeros may follow
    testing::always(read_item_journal(fs::text_source(padded)).length == read.length,
                    "zeros were treated as a line");
  }
}

void check(std::string_view text) {
  std::optional<ItemJournalText> journal;
  try {
    journal = read_item_journal(fs::text_source(text));
  } catch (const base::Error&) {  // expected for most texts
    return;
  }
  expect_sound(*journal, text.size());
  // A head in another layout is read, but its beginning is not known to be one of ours.
  if (text.size() <= kLongest && text.starts_with(R"({"schema":"fathom.journal/)")) {
    expect_can_be_cut(text);
  }
}

}  // namespace
}  // namespace fathom::act

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::act::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
