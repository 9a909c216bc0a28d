// Notes: sentences about the results of a search for duplicates.

#include "dups/notes.h"

#include <cstddef>

#include "scan/missing_roots.h"
#include "select/selection_notes.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

std::string in_no_group(std::size_t entries) {
  return entries == 1 ? " and is in no group." : " and are in no group.";
}

}  // namespace

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
                                                 ? "candidate (same size as another file)"
                                                 : "candidates (same size as another file)"});
  lines.push_back({base::format_bytes(same.bytes_read, units), "read"});
  lines.push_back({duration(found.seconds()), "in total"});
  return lines;
}

std::vector<Note> notes_of(const DupsFinding& found, bool beside_messages) {
  std::vector<Note> notes;
  const std::size_t missing = missing_roots(found.scan);
  const std::size_t unread = unread_entries(found.scan) + found.same.errors.size();
  const std::size_t changed = found.same.changed.size();
  if (found.cancelled() && !beside_messages) {
    notes.push_back({"Interrupted: the results are incomplete.", true});
  }
  if (missing != 0 && !beside_messages) {
    notes.push_back({"Not found: " + counted(missing, "path", "paths") + " to search.", true});
  }
  if (unread != 0 && !beside_messages) {
    notes.push_back(
        {counted(unread, "entry", "entries") + " could not be read" + in_no_group(unread), true});
  }
  if (changed != 0 && !beside_messages) {
    notes.push_back(
        {counted(changed, "file", "files") + " changed during the search" + in_no_group(changed),
         true});
  }
  if (!found.scan.excluded.empty()) {
    notes.push_back({excluded_note(found.scan.excluded.size())});
  }
  if (found.scan.filtered_out != 0) {
    notes.push_back({filtered_out_note(found.scan.filtered_out)});
  }
  return notes;
}

}  // namespace fathom::cli
