// Whatever the text is: read_journal() refuses it with a base::Error, or what it read survives
// being written and read again; and a journal that can be read can be read wherever it is cut off.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "dups/journal_text.h"
#include "fathom/base/error.h"
#include "fathom/fs/source.h"

namespace fathom::fs {
namespace {

// What is longer takes long to be cut at every byte.
constexpr std::size_t kLongest = 300;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::string text_of(const JournalText& journal) {
  if (!journal.head) return {};
  std::string text = head_line(*journal.head);
  for (const auto& [act, entry] : journal.entries) {
    text += begin_line(act, entry.root, entry.path, entry.identity);
    if (entry.stage == JournalStage::done) text += done_line(act);
  }
  return text;
}

void expect_survives(const JournalText& journal) {
  const std::string text = text_of(journal);
  const JournalText back = read_journal(text_source(text));
  expect(back.head == journal.head, "the head changed when it was written and read again");
  expect(back.entries == journal.entries, "an act changed when it was written and read again");
  expect(back.length == text.size() && back.torn_head.empty(), "a whole line was taken for torn");
}

// What a power cut leaves of it: its beginning, and zeros behind that.
void expect_can_be_cut(std::string_view text) {
  for (std::size_t length = text.size(); length-- > 0;) {
    const std::string_view part = text.substr(0, length);
    const JournalText read = read_journal(text_source(part));
    expect(read.length <= length, "more was read than there is");
    const std::string padded = std::string(part) + std::string(9, '\0') + '\n';
    const JournalText zeros = read_journal(text_source(padded));
    expect(zeros.length == read.length, "zeros were taken for a line");
    expect(zeros.entries == read.entries, "zeros have changed an act");
  }
}

void check(std::string_view text) {
  std::optional<JournalText> journal;
  try {
    journal = read_journal(text_source(text));
  } catch (const base::Error&) {  // refused, as most texts are
    return;
  }
  expect_survives(*journal);
  if (text.size() <= kLongest) expect_can_be_cut(text);
}

}  // namespace
}  // namespace fathom::fs

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::fs::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
