// DupsNotes: sentences about the results of a search for duplicates.

#include "view/dups_notes.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "term/label.h"
#include "term/message.h"
#include "term/number.h"
#include "view/scan_messages.h"

namespace fathom::cli {

namespace {

std::string in_no_group(std::size_t entries) {
  return entries == 1 ? " and is in no group." : " and are in no group.";
}

// Of a snapshot, also files that are gone have changed.
std::string changed_when(const DupsFinding& found, std::size_t files) {
  if (found.age == fs::ScanAge::fresh) return " changed during the search";
  return files == 1 ? " has changed since the snapshot" : " have changed since the snapshot";
}

// They are not listed, because the equal directories are.
std::size_t groups_within_directories(const DupsFinding& found) {
  const std::vector<bool>& explained = found.directories.explained;
  return static_cast<std::size_t>(std::count(explained.begin(), explained.end(), true));
}

// Whether any entry of the tree is counted.
bool counts_any(const fs::Tree& tree) {
  bool any = false;
  tree.for_each_node(
      [&](fs::NodeId node) { any = any || (tree.flags(node) & fs::kUncounted) == 0; });
  return any;
}

}  // namespace

Phrases in_one_line(const DupsFinding& found, base::Units units) {
  const std::string time = duration(found.seconds());
  if (found.same.groups.empty()) return {"No duplicates,", time};
  Phrases words = {counted(found.same.groups.size(), "group", "groups"),
                   "of " + counted(found.same.files, "file", "files")};
  if (const std::size_t within = groups_within_directories(found); within > 0) {
    words.push_back('(' + counted(within, "group", "groups") + " within");
    words.emplace_back("equal directories)");
  }
  words.back() += ',';
  words.insert(words.end(),
               {base::format_bytes(found.same.wasted_bytes, units) + " wasted,", time});
  return words;
}

std::vector<SummaryLine> summary_lines(const DupsFinding& found, base::Units units) {
  const fs::Duplicates& same = found.same;
  const std::size_t directories = found.directories.groups.size();
  std::vector<SummaryLine> lines;
  lines.push_back({base::format_bytes(same.wasted_bytes, units), "wasted"});
  lines.push_back(
      {grouped(same.groups.size()), (same.groups.size() == 1 ? "group of " : "groups of ") +
                                        counted(same.files, "file", "files")});
  const std::size_t within = groups_within_directories(found);
  const std::string files_within =
      within == 0 ? "" : ", with " + grouped(within) + " of the groups of files";
  lines.push_back(
      {grouped(directories),
       (directories == 1 ? "group of directories" : "groups of directories") + files_within});
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
        {counted(changed, "file", "files") + changed_when(found, changed) + in_no_group(changed),
         true});
  }
  for (std::string& sentence : excluded_notes(found.scan)) notes.push_back({std::move(sentence)});
  if (found.scan.filtered_out != 0) {
    notes.push_back({filtered_out_note(found.scan.filtered_out, !counts_any(found.scan.tree))});
  }
  return notes;
}

// ---- Messages on standard error

namespace {

constexpr std::size_t kShown = 3;  // messages of each kind

constexpr const char* kListsAll = "; --format json lists them all";

void add_unread(const DupsFinding& found, std::vector<std::string>& messages) {
  std::vector<const fs::ScanError*> errors;
  for (const fs::ScanError& error : found.scan.errors) errors.push_back(&error);
  for (const fs::ScanError& error : found.same.errors) errors.push_back(&error);
  if (errors.empty()) return;
  const std::size_t shown = std::min(errors.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) messages.push_back(describe(*errors[i]));
  // Messages about missing roots need no conclusion.
  if (errors.size() == shown && errors.size() == missing_roots(found.scan)) return;
  messages.push_back(counted(errors.size(), "entry", "entries") + " could not be read and " +
                     (errors.size() == 1 ? "is" : "are") + " in no group" +
                     (shown < errors.size() ? kListsAll : ""));
}

void add_changed(const DupsFinding& found, std::vector<std::string>& messages) {
  const std::vector<fs::NodeId>& changed = found.same.changed;
  if (changed.empty()) return;
  const std::size_t shown = std::min(changed.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    messages.push_back(
        escaped(found.scan.tree.path(changed[i])) +
        (found.age == fs::ScanAge::fresh ? " changed while it was read" : changed_when(found, 1)));
  }
  messages.push_back(counted(changed.size(), "file", "files") +
                     changed_when(found, changed.size()) + " and " +
                     (changed.size() == 1 ? "is" : "are") + " in no group" +
                     (shown < changed.size() ? kListsAll : ""));
}

}  // namespace

std::vector<std::string> incomplete_messages(const DupsFinding& found) {
  std::vector<std::string> messages;
  add_unread(found, messages);
  add_changed(found, messages);
  return messages;
}

void tell_incomplete(const DupsFinding& found) {
  for (const std::string& message : incomplete_messages(found)) print_message(message);
  for (const std::string& message : link_messages(found.scan)) print_message(message);
}

}  // namespace fathom::cli
