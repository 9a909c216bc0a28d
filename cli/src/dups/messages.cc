// Messages: prints errors and changed files after a search for duplicates.

#include "dups/messages.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "message.h"
#include "scan/missing_roots.h"
#include "scan/scan_messages.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kShown = 3;  // messages of each kind

constexpr const char* kListsAll = "; --format json lists them all";

void tell_unread(const DupsFinding& found) {
  std::vector<const fs::ScanError*> errors;
  for (const fs::ScanError& error : found.scan.errors) errors.push_back(&error);
  for (const fs::ScanError& error : found.same.errors) errors.push_back(&error);
  if (errors.empty()) return;
  const std::size_t shown = std::min(errors.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) print_message(describe(*errors[i]));
  // Messages about missing roots need no conclusion.
  if (errors.size() == shown && errors.size() == missing_roots(found.scan)) return;
  print_message(counted(errors.size(), "entry", "entries") + " could not be read and " +
                (errors.size() == 1 ? "is" : "are") + " in no group" +
                (shown < errors.size() ? kListsAll : ""));
}

void tell_changed(const DupsFinding& found) {
  const std::vector<fs::NodeId>& changed = found.same.changed;
  if (changed.empty()) return;
  const std::size_t shown = std::min(changed.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    print_message(escaped(found.scan.tree.path(changed[i])) + " changed while it was read");
  }
  print_message(counted(changed.size(), "file", "files") + " changed during the search and " +
                (changed.size() == 1 ? "is" : "are") + " in no group" +
                (shown < changed.size() ? kListsAll : ""));
}

}  // namespace

void tell_incomplete(const DupsFinding& found) {
  tell_unread(found);
  tell_changed(found);
  tell_links(found.scan);
}

}  // namespace fathom::cli
