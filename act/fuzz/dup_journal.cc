// Fuzzes read_journal(): for any text, it throws a base::Error, or its result can be written and
// read again. A journal that can be read can also be read if it is truncated anywhere.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dups/journal_text.h"
#include "fathom/base/error.h"
#include "fathom/fs/source.h"
#include "fathom/testing/always.h"
#include "text/journal_lines.h"

namespace fathom::act {
namespace {

// Longer texts take too long to truncate at every byte.
constexpr std::size_t kLongest = 300;

std::string text_of(const JournalText& journal) {
  if (!journal.head) return {};
  std::string text = head_line(*journal.head);
  for (const auto& [act, entry] : journal.entries) {
    text += begin_line(act, entry.root, entry.path, entry.identity);
    if (entry.stage == JournalStage::done) text += end_line(act, ActEnd::done);
  }
  return text;
}

void expect_survives(const JournalText& journal) {
  const std::string text = text_of(journal);
  const JournalText back = read_journal(fs::text_source(text));
  testing::always(back.head == journal.head, "the head changed when it was written and read again");
  testing::always(back.entries == journal.entries,
                  "an act changed when it was written and read again");
  testing::always(back.length == text.size() && back.torn_head.empty(),
                  "a complete line was treated as torn");
}

// The remains after a power cut: the beginning, followed by zeros.
void expect_can_be_cut(std::string_view text) {
  for (std::size_t length = text.size(); length-- > 0;) {
    const std::string_view part = text.substr(0, length);
    const JournalText read = read_journal(fs::text_source(part));
    testing::always(read.length <= length, "more was read than there is");
    std::string padded = std::string(part) + std::string(9, '\0');
    if (read.head) padded += '\n';  // without a head, only zeros may follow
    const JournalText zeros = read_journal(fs::text_source(padded));
    testing::always(zeros.length == read.length, "zeros were treated as a line");
    testing::always(zeros.entries == read.entries, "zeros have changed an act");
  }
}

void check(std::string_view text) {
  std::optional<JournalText> journal;
  try {
    journal = read_journal(fs::text_source(text));
  } catch (const base::Error&) {  // expected for most texts
    return;
  }
  expect_survives(*journal);
  if (text.size() <= kLongest) expect_can_be_cut(text);
}

}  // namespace
}  // namespace fathom::act

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::act::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
