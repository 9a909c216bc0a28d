// TextGroups: writes duplicates as text.

#include "view/text_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/saturating.h"
#include "fathom/fs/blocks.h"
#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"
#include "term/wrapped.h"
#include "view/dups_notes.h"
#include "view/group_lines.h"
#include "view/group_words.h"
#include "view/shown_groups.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kGroupIndent = 2;
constexpr std::size_t kGroupGap = 2;
constexpr std::string_view kHeading = "Wasted";

class TextGroups {
 public:
  TextGroups(const DupsFinding& found, const DupsView& view, const fs::Sink& sink)
      : found_(found),
        tree_(found.scan.tree),
        view_(view),
        shown_(shown_groups(found, view)),
        paint_(view.terminal.color),
        text_(sink) {}

  void write() {
    if (view_.summary) {
      summary();
    } else {
      directories();
      files();
      rest();
      begin_part();
      line(paint_(Tone::strong, set(in_one_line(found_, view_.units), 0)));
    }
    notes();
    text_.flush();
  }

 private:
  void directories() {
    const auto& groups = found_.directories.groups;
    const std::size_t shown = shown_.directories;
    if (shown == 0) return;
    const std::vector<std::vector<GroupLine>> lines = directory_lines(found_);
    begin_list("Duplicate directories", groups, shown);
    for (std::size_t i = 0; i < shown && text_.wanted(); ++i) {
      const fs::DuplicateDirectoryGroup& group = groups[i];
      head(group.wasted_bytes, words_about(group, view_.units));
      const std::size_t names = names_of(group.directories.size());
      for (std::size_t name = 0; name < names; ++name) {
        entry(lines[i][name].role, tree_.path(lines[i][name].node), true);
      }
      names_left_out(group.directories.size() - names);
    }
    groups_left_out(groups, shown);
  }

  // The groups that are not explained by equal directories.
  void files() {
    const std::vector<std::size_t>& groups = shown_.listed;
    const std::size_t shown = shown_.files;
    if (shown == 0) return;
    begin_list("Duplicate files", groups, shown);
    for (std::size_t i = 0; i < shown && text_.wanted(); ++i) file_group(groups[i]);
    groups_left_out(groups, shown);
    explain_marks();
  }

  void file_group(std::size_t place) {
    const fs::DuplicateGroup& group = found_.same.groups[place];
    head(group.wasted_bytes, words_about(group, view_.units));
    const std::vector<GroupLine> lines = group_lines(group, found_.kept_in(place));
    const std::size_t names = names_of(lines.size());
    for (std::size_t i = 0; i < names && text_.wanted(); ++i) {
      entry(lines[i].role, tree_.path(lines[i].node), false);
      link_shown_ = link_shown_ || lines[i].role == GroupRole::link;
      clone_shown_ = clone_shown_ || lines[i].role == GroupRole::clone;
    }
    names_left_out(lines.size() - names);
  }

  static std::uint64_t wasted(const fs::DuplicateDirectoryGroup& group) {
    return group.wasted_bytes;
  }
  [[nodiscard]] std::uint64_t wasted(std::size_t place) const {
    return found_.same.groups[place].wasted_bytes;
  }

  // Writes the title, and determines the width of the figures below it.
  template <class Groups>
  void begin_list(std::string_view title, const Groups& groups, std::size_t shown) {
    figure_width_ = kHeading.size();
    for (std::size_t i = 0; i < shown; ++i) {
      figure_width_ = std::max(figure_width_, bytes(wasted(groups[i])).size());
    }
    begin_part();
    line(paint_(Tone::heading, title));
    line(std::string(kGroupIndent, ' ') + paint_(Tone::faint, right(kHeading, figure_width_)));
  }

  [[nodiscard]] std::size_t margin() const { return kGroupIndent + figure_width_ + kGroupGap; }

  // Writes the first line of a group.
  void head(std::uint64_t wasted_bytes, const Phrases& meaning) {
    line(std::string(kGroupIndent, ' ') +
         paint_(Tone::strong, right(bytes(wasted_bytes), figure_width_)) +
         std::string(kGroupGap, ' ') + set(meaning, margin()));
  }

  // The phrases, wrapped to the width of the terminal.
  [[nodiscard]] std::string set(const Phrases& phrases, std::size_t margin) const {
    return wrapped_phrases(phrases, margin, columns());
  }

  void entry(GroupRole role, const std::string& path, bool directory) {
    const std::string mark = right(mark_of(role), figure_width_);
    std::string text = std::string(kGroupIndent, ' ');
    text += paint_(role == GroupRole::keep ? Tone::strong : Tone::faint, mark);
    text += std::string(kGroupGap, ' ');
    const Label name(directory && !path.ends_with('/') ? path + '/' : path, view_.terminal.unicode);
    const auto room = static_cast<unsigned>(columns() - margin());
    text += paint_(directory ? Tone::directory : Tone::plain,
                   name.fitted(room, view_.terminal.unicode ? "\u2026" : "..."));
    line(text);
  }

  void names_left_out(std::size_t number) {
    if (number == 0) return;
    line(std::string(margin(), ' ') + paint_(Tone::faint, "and " + grouped(number) + " more"));
  }

  template <class Groups>
  void groups_left_out(const Groups& groups, std::size_t shown) {
    if (shown == groups.size() || shown_.fits_screen) return;
    std::uint64_t rest = 0;
    for (std::size_t i = shown; i < groups.size(); ++i) {
      rest = base::saturating_add(rest, wasted(groups[i]));
    }
    const Phrases sentence = {
        "and " + counted(groups.size() - shown, "more group,", "more groups,"),
        bytes(rest) + " wasted;", "--all shows them all"};
    line(std::string(kGroupIndent, ' ') + paint_(Tone::faint, set(sentence, kGroupIndent)));
  }

  // Of a screen that is full, one line for both lists.
  void rest() {
    const auto& directories = found_.directories.groups;
    GroupsLeft left{directories.size() - shown_.directories, shown_.listed.size() - shown_.files};
    if (!shown_.fits_screen || left.directories + left.files == 0) return;
    if (left.directories > 0) left.most = wasted(directories[shown_.directories]);
    if (left.files > 0) left.most = std::max(left.most, wasted(shown_.listed[shown_.files]));
    const Phrases words = words_about_rest(left, view_.units);
    line(std::string(kGroupIndent, ' ') + paint_(Tone::faint, set(words, kGroupIndent)));
  }

  void explain_marks() {
    const Phrases marks = words_about_marks(link_shown_, clone_shown_);
    if (marks.empty()) return;
    line(std::string(kGroupIndent, ' ') + paint_(Tone::faint, set(marks, kGroupIndent)));
  }

  void summary() {
    const std::vector<SummaryLine> lines = summary_lines(found_, view_.units);
    std::size_t widest = 0;
    for (const SummaryLine& one : lines) widest = std::max(widest, one.figure.size());
    for (const SummaryLine& one : lines) {
      line(std::string(kGroupIndent, ' ') + paint_(Tone::strong, right(one.figure, widest)) +
           std::string(kGroupGap, ' ') +
           wrapped(one.meaning, static_cast<unsigned>(kGroupIndent + widest + kGroupGap),
                   columns()));
    }
  }

  void notes() {
    for (const Note& note : notes_of(found_, view_.beside_messages)) {
      line(paint_(note.warning ? Tone::warning : Tone::plain, fitted(note.sentence)));
    }
  }

  [[nodiscard]] std::size_t names_of(std::size_t names) const {
    return std::min(names, shown_.names);
  }

  [[nodiscard]] unsigned columns() const {
    return view_.terminal.person ? view_.terminal.width : Wrapped::kEndless;
  }
  [[nodiscard]] std::string fitted(std::string_view sentence) const {
    return wrapped(sentence, 0, columns());
  }
  [[nodiscard]] std::string bytes(std::uint64_t number) const {
    return base::format_bytes(number, view_.units);
  }

  void begin_part() {
    if (begun_) text_.put('\n');
    begun_ = true;
  }
  void line(std::string_view text) {
    text_.put(text);
    text_.put('\n');
  }

  const DupsFinding& found_;
  const fs::Tree& tree_;
  const DupsView& view_;
  const ShownGroups shown_;
  const Paint paint_;
  fs::Blocks text_;
  bool begun_ = false;
  std::size_t figure_width_ = 0;  // in the current list
  bool link_shown_ = false;
  bool clone_shown_ = false;
};

}  // namespace

void write_text_groups(const DupsFinding& found, const DupsView& view, const fs::Sink& sink) {
  TextGroups(found, view, sink).write();
}

}  // namespace fathom::cli
