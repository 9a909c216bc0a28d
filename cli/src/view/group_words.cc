// GroupWords: phrases about groups, and setting them in lines.

#include "view/group_words.h"

#include "term/number.h"
#include "term/wrapped.h"

namespace fathom::cli {

Phrases words_about(const fs::DuplicateDirectoryGroup& group, base::Units units) {
  return {counted(group.directories.size(), "directory", "directories"),
          "of " + counted(group.files, "file", "files") + ",",
          base::format_bytes(group.bytes, units)};
}

Phrases words_about(const fs::DuplicateGroup& group, base::Units units) {
  return {counted(group.files.size(), "file", "files"),
          "of " + base::format_bytes(group.size, units)};
}

Phrases words_about_marks(bool link, bool clone) {
  Phrases marks;
  if (link) marks.insert(marks.end(), {"link: another name", "of the file above"});
  if (link && clone) marks.back() += ';';
  if (clone) marks.insert(marks.end(), {"clone: shares its blocks", "with the file above"});
  return marks;
}

Phrases words_about_rest(const GroupsLeft& left, base::Units units) {
  const bool one = left.directories + left.files == 1;
  const auto more = [](std::size_t groups, const char* of) {
    return counted(groups, "more group", "more groups") + of;
  };
  Phrases words;
  if (left.directories > 0) words.push_back(more(left.directories, " of directories"));
  if (left.directories > 0 && left.files > 0) {
    words.push_back("and " + grouped(left.files) + " of files");
  } else if (left.files > 0) {
    words.push_back(more(left.files, " of files"));
  }
  if (!words.empty()) words.back() += ',';
  words.insert(words.end(), {one ? "wasting" : "each wasting at most",
                             base::format_bytes(left.most, units) + ';',
                             one ? "--all shows it" : "--all shows them all"});
  return words;
}

std::string wrapped_phrases(const Phrases& phrases, std::size_t margin, unsigned columns) {
  Wrapped text(static_cast<unsigned>(margin), columns);
  for (const std::string& phrase : phrases) {
    text.add_word(phrase, static_cast<unsigned>(phrase.size()));
  }
  return text.text();
}

}  // namespace fathom::cli
