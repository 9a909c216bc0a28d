#include "dups/notes.h"

#include <cstddef>

#include "scan/missing_roots.h"
#include "term/number.h"

namespace fathom::cli {

Phrases in_one_line(const DupsFinding& found, base::Units units) {
  const std::string time = duration(found.seconds());
  if (found.same.groups.empty()) return {"No duplicates,", time};
  return {counted(found.same.groups.size(), "group", "groups"),
          "of " + counted(found.same.files, "file", "files") + ",",
          base::format_bytes(found.same.wasted_bytes, units) + " wasted,", time};
}

std::vector<SummaryLine> summary_lines(const DupsFinding& found, base::Units units) {
  const fs::Duplicates& same = found.same;
  const std::size_t directories = found.directories.groups.size();
  std::vector<SummaryLine> lines;
  lines.push_back({base::format_bytes(same.wasted_bytes, units), "wasted"});
  lines.push_back(
      {grouped(same.groups.size()), (same.groups.size() == 1 ? "group of " : "groups of ") +
                                        counted(same.files, "file", "files")});
  lines.push_back(
      {grouped(directories), directories == 1 ? "group of directories" : "groups of directories"});
  lines.push_back({grouped(same.candidates), same.candidates == 1
                                                 ? "file that has the size of another one"
                                                 : "files that have the size of another one"});
  lines.push_back({base::format_bytes(same.bytes_read, units), "read"});
  lines.push_back({duration(found.seconds()), "in all"});
  return lines;
}

std::vector<Note> notes_of(const DupsFinding& found, bool beside_messages) {
  std::vector<Note> notes;
  const std::size_t missing = missing_roots(found.scan);
  const std::size_t unread = unread_entries(found.scan) + found.same.errors.size();
  const std::size_t changed = found.same.changed.size();
  if (found.cancelled() && !beside_messages) {
    notes.push_back({"Interrupted: this is what was confirmed until then.", true});
  }
  if (missing != 0 && !beside_messages) {
    notes.push_back({"Not found: " + counted(missing, "path", "paths") + " to search.", true});
  }
  if (unread != 0 && !beside_messages) {
    notes.push_back(
        {"In no group: " + counted(unread, "entry", "entries") + " that could not be read.", true});
  }
  if (changed != 0 && !beside_messages) {
    notes.push_back(
        {"In no group: " + counted(changed, "file", "files") + " that changed meanwhile.", true});
  }
  if (!found.scan.excluded.empty()) {
    notes.push_back({"Left out: " + counted(found.scan.excluded.size(), "entry", "entries") +
                     ", with all that is in them."});
  }
  if (found.scan.filtered_out != 0) {
    notes.push_back({"Not compared: " + counted(found.scan.filtered_out, "entry", "entries") +
                     " that were not asked for."});
  }
  return notes;
}

}  // namespace fathom::cli
