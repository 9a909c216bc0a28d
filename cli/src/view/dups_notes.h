// DupsNotes: the totals of a search for duplicates and what is missing from them, in words.

#pragma once

#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "run/dups_session.h"

namespace fathom::cli {

// Parts of a sentence that should not be broken across lines.
using Phrases = std::vector<std::string>;

// "12 groups of 31 files (9 groups within equal directories), 24.5 MiB wasted, 1.2 s"
[[nodiscard]] Phrases in_one_line(const DupsFinding& found, base::Units units);

struct SummaryLine {
  std::string figure;
  std::string meaning;
};
[[nodiscard]] std::vector<SummaryLine> summary_lines(const DupsFinding& found, base::Units units);

struct Note {
  std::string sentence;
  bool warning = false;  // the results are incomplete
};
// beside_messages: omit what the user sees in messages on the same terminal.
[[nodiscard]] std::vector<Note> notes_of(const DupsFinding& found, bool beside_messages);

// ---- Messages on standard error

// The first errors and the first files that changed, and what they mean for the results.
[[nodiscard]] std::vector<std::string> incomplete_messages(const DupsFinding& found);

// Prints them, and names arguments that are symbolic links.
void tell_incomplete(const DupsFinding& found);

}  // namespace fathom::cli
