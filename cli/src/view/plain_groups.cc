// PlainGroups: writes duplicates in words.

#include "view/plain_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/fs/blocks.h"
#include "term/label.h"
#include "term/number.h"
#include "view/dups_notes.h"
#include "view/group_lines.h"

namespace fathom::cli {

namespace {

std::string_view words_of(GroupRole role) {
  switch (role) {
    case GroupRole::keep:
      return "Keep: ";
    case GroupRole::copy:
      return "Copy: ";
    case GroupRole::clone:
      return "Clone, shares its blocks with the file above: ";
    case GroupRole::link:
      return "Link, another name of the file above: ";
    case GroupRole::same:
      return "Same, left alone: ";
    case GroupRole::part:
      return "Part, some of its files are kept: ";
  }
  return "";
}

class PlainGroups {
 public:
  PlainGroups(const DupsFinding& found, const DupsView& view, const fs::Sink& sink)
      : found_(found), tree_(found.scan.tree), view_(view), text_(sink) {}

  void write() {
    if (!view_.summary) {
      directories();
      files();
    }
    for (const SummaryLine& one : summary_lines(found_, view_.units)) {
      line(one.figure + ' ' + one.meaning);
    }
    for (const Note& note : notes_of(found_, view_.beside_messages)) line(note.sentence);
    text_.flush();
  }

 private:
  void directories() {
    const auto& groups = found_.directories.groups;
    const std::vector<std::vector<GroupLine>> lines = directory_lines(found_);
    const std::size_t shown = std::min(groups.size(), limit());
    for (std::size_t g = 0; g < shown && text_.wanted(); ++g) {
      const fs::DuplicateDirectoryGroup& group = groups[g];
      line("Duplicate directories: " + grouped(group.directories.size()) + " of " +
           counted(group.files, "file", "files") + ", " + bytes(group.bytes) +
           ", wasted: " + bytes(group.wasted_bytes));
      for (const GroupLine& one : lines[g]) entry(one.role, one.node);
      line("");
    }
  }

  // The groups that are not explained by equal directories.
  void files() {
    std::size_t left = limit();
    for (std::size_t i = 0; i < found_.same.groups.size() && text_.wanted(); ++i) {
      if (found_.directories.explained[i]) continue;
      if (left-- == 0) break;
      const fs::DuplicateGroup& group = found_.same.groups[i];
      line("Duplicate files: " + grouped(group.files.size()) + " of " + bytes(group.size) +
           ", wasted: " + bytes(group.wasted_bytes));
      for (const GroupLine& name : group_lines(group, found_.kept_in(i)))
        entry(name.role, name.node);
      line("");
    }
  }

  [[nodiscard]] std::size_t limit() const {
    return view_.top == 0 ? static_cast<std::size_t>(-1) : view_.top;
  }

  void entry(GroupRole role, fs::NodeId node) {
    line(std::string(words_of(role)) + escaped(tree_.path(node), view_.terminal.unicode));
  }

  [[nodiscard]] std::string bytes(std::uint64_t number) const {
    const std::string rounded = base::format_bytes(number, view_.units);
    const std::string exact = counted(number, "byte", "bytes");
    return rounded.ends_with(" B") ? exact : rounded + ", " + exact;
  }

  void line(std::string_view text) {
    text_.put(text);
    text_.put('\n');
  }

  const DupsFinding& found_;
  const fs::Tree& tree_;
  const DupsView& view_;
  fs::Blocks text_;
};

}  // namespace

void write_plain_groups(const DupsFinding& found, const DupsView& view, const fs::Sink& sink) {
  PlainGroups(found, view, sink).write();
}

}  // namespace fathom::cli
