// Notes: the sums of a search for duplicates and what they lack, in words.

#pragma once

#include <string>
#include <vector>

#include "dups/finding.h"
#include "fathom/base/bytes.h"

namespace fathom::cli {

// Parts of a sentence, each of which is better not broken.
using Phrases = std::vector<std::string>;

// "12 groups of 31 files, 24.5 MiB wasted, 1.2 s"
[[nodiscard]] Phrases in_one_line(const DupsFinding& found, base::Units units);

struct SummaryLine {
  std::string figure;
  std::string meaning;
};
[[nodiscard]] std::vector<SummaryLine> summary_lines(const DupsFinding& found, base::Units units);

struct Note {
  std::string sentence;
  bool warning = false;  // something is missing that belongs here
};
// beside_messages: without what a message says in the same place.
[[nodiscard]] std::vector<Note> notes_of(const DupsFinding& found, bool beside_messages);

}  // namespace fathom::cli
