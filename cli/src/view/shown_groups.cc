// ShownGroups: counts the rows that everything would take.

#include "view/shown_groups.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "term/wrapped.h"
#include "view/dups_notes.h"
#include "view/fitted_groups.h"
#include "view/group_words.h"

namespace fathom::cli {

namespace {

// On a terminal, a group has at most so many names, and fewer on a low screen, where one name in so
// many rows leaves room for further groups. If there are none, it has more.
constexpr std::size_t kMostNames = 10;
constexpr std::size_t kFewestNames = 2;
constexpr std::size_t kRowsPerName = 6;

constexpr std::size_t kUsualHeight = 24;  // of a terminal that does not report it
constexpr std::size_t kPromptRows = 1;
constexpr std::size_t kTitleRows = 2;  // above each list
constexpr std::size_t kMargin = 12;    // of the lines of a group, with the widest size
constexpr std::uint64_t kWidestSize = std::uint64_t{1023} << 20;  // "1023 MiB"

std::size_t rows_of(std::string_view text) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::size_t names_in(const fs::DuplicateGroup& group) {
  std::size_t names = group.files.size();
  for (const fs::DuplicateFile& file : group.files) names += file.links.size();
  return names;
}

bool has_links(const fs::DuplicateGroup& group) {
  return names_in(group) > group.files.size();
}

bool has_clones(const fs::DuplicateGroup& group) {
  std::uint32_t storages = 0;
  for (const fs::DuplicateFile& file : group.files) storages = std::max(storages, file.storage + 1);
  return storages < group.files.size();
}

// Chooses what fits on the screen.
class Screen {
 public:
  Screen(const DupsFinding& found, const DupsView& view)
      : found_(found),
        view_(view),
        height_(view.terminal.height == 0 ? kUsualHeight : view.terminal.height) {}

  // As many groups as possible, and then as many names of each as possible.
  void fit(ShownGroups& shown) const {
    const std::size_t usual = std::clamp(height_ / kRowsPerName, kFewestNames, kMostNames);
    const FittedGroups wanted = fitted(shown, usual);
    FittedGroups fits;
    for (shown.names = kMostNames;; --shown.names) {
      fits = fitted(shown, shown.names);
      if (shown.names == kFewestNames || (fits == wanted && fits.fits)) break;
    }
    shown.directories = fits.directories;
    shown.files = fits.files;
  }

 private:
  [[nodiscard]] FittedGroups fitted(const ShownGroups& shown, std::size_t names) const {
    GroupList directories{{}, found_.directories.groups.size()};
    for (std::size_t i = 0; i < std::min(directories.size, height_); ++i) {
      const fs::DuplicateDirectoryGroup& group = found_.directories.groups[i];
      directories.groups.push_back(
          {group.wasted_bytes, rows(group, group.directories.size(), names)});
    }
    GroupList files{{}, shown.listed.size()};
    bool links = false;
    bool clones = false;
    for (std::size_t i = 0; i < std::min(files.size, height_); ++i) {
      const fs::DuplicateGroup& group = found_.same.groups[shown.listed[i]];
      files.groups.push_back({group.wasted_bytes, rows(group, names_in(group), names),
                              has_links(group) || has_clones(group)});
      links = links || has_links(group);
      clones = clones || has_clones(group);
    }
    const std::size_t marks = rows(words_about_marks(links, clones));
    const std::size_t closing =
        rows(words_about_rest({directories.size, files.size, kWidestSize}, view_.units));
    return fit_groups(directories, files, {kTitleRows, 1, marks, closing},
                      height_ - std::min(height_, rows_around()));
  }

  [[nodiscard]] std::size_t rows(const Phrases& phrases, std::size_t margin = 2) const {
    return rows_of(wrapped_phrases(phrases, margin, view_.terminal.width));
  }

  template <class Group>
  [[nodiscard]] std::size_t rows(const Group& group, std::size_t names, std::size_t most) const {
    return rows(words_about(group, view_.units), kMargin) + std::min(names, most) +
           (names > most ? 1 : 0);
  }

  // The rows of everything except the lists and what belongs to them.
  [[nodiscard]] std::size_t rows_around() const {
    std::size_t sum =
        view_.message_rows + kPromptRows + 1 + rows(in_one_line(found_, view_.units), 0);
    for (const Note& note : notes_of(found_, view_.beside_messages)) {
      sum += rows_of(wrapped(note.sentence, 0, view_.terminal.width));
    }
    return sum;
  }

  const DupsFinding& found_;
  const DupsView& view_;
  const std::size_t height_;
};

}  // namespace

ShownGroups shown_groups(const DupsFinding& found, const DupsView& view) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  ShownGroups shown;
  for (std::size_t i = 0; i < found.same.groups.size(); ++i) {
    if (!found.directories.explained[i]) shown.listed.push_back(i);
  }
  const std::size_t most = view.top == 0 ? kAll : view.top;
  shown.directories = std::min(found.directories.groups.size(), most);
  shown.files = std::min(shown.listed.size(), most);
  const bool cuts = view.terminal.person && !view.all;
  shown.names = cuts ? kMostNames : kAll;
  shown.fits_screen = cuts && view.top == 0;
  if (shown.fits_screen) Screen(found, view).fit(shown);
  return shown;
}

}  // namespace fathom::cli
