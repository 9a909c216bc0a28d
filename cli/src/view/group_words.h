// GroupWords: what the text output says about groups of duplicates.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fathom/base/bytes.h"
#include "fathom/fs/duplicate_directories.h"
#include "fathom/fs/duplicates.h"
#include "view/dups_notes.h"

namespace fathom::cli {

// "3 directories of 8 files, 768 KiB"
[[nodiscard]] Phrases words_about(const fs::DuplicateDirectoryGroup& group, base::Units units);

// "3 files of 192 KiB"
[[nodiscard]] Phrases words_about(const fs::DuplicateGroup& group, base::Units units);

// What the marks mean that are not obvious; nothing if none of them was shown.
[[nodiscard]] Phrases words_about_marks(bool link, bool clone);

// The groups that are not shown.
struct GroupsLeft {
  std::size_t directories = 0;
  std::size_t files = 0;   // not counting groups within equal directories
  std::uint64_t most = 0;  // bytes that one of them wastes
};

// "1 more group of directories and 57 of files, each wasting at most 12 KiB; --all shows them all".
// Their sizes cannot be added, because files of equal directories may be in both lists.
[[nodiscard]] Phrases words_about_rest(const GroupsLeft& left, base::Units units);

// The phrases, wrapped at the columns. The caller writes the margin of the first line.
[[nodiscard]] std::string wrapped_phrases(const Phrases& phrases, std::size_t margin,
                                          unsigned columns);

}  // namespace fathom::cli
