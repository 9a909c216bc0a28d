// ScanMessages: prints errors and hints after a scan.

#include "scan/scan_messages.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>

#include "message.h"
#include "scan/missing_roots.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kErrorsShown = 3;

bool leads_to_directory(const std::string& link) {
  struct stat status {};
  return ::stat(link.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

std::string describe(const fs::ScanError& error) {
  return "cannot " + std::string(error.operation) + ' ' + escaped(error.path) + ": " +
         fs::message_of(error);
}

void tell_errors(const fs::Scan& scan, bool listed) {
  const std::size_t errors = scan.errors.size();
  if (errors == 0) return;
  const std::size_t shown = listed ? 0 : std::min(errors, kErrorsShown);
  for (std::size_t i = 0; i < shown; ++i) print_message(describe(scan.errors[i]));
  const bool bound = unread_entries(scan) != 0;
  if (!bound && shown == errors) return;  // the messages above say everything
  std::string sentence = counted(errors, "entry", "entries") + " could not be read";
  if (bound) sentence += ", so the totals are lower bounds";
  if (shown < errors && !listed) sentence += "; --errors lists them all";
  print_message(sentence);
}

void tell_links(const fs::Scan& scan) {
  for (std::size_t i = 0; i < scan.roots.size() && i < scan.tree.roots().size(); ++i) {
    const fs::NodeId node = scan.tree.roots()[i];
    if (node == fs::kNoNode || scan.tree.kind(node) != fs::Kind::symlink) continue;
    if (!leads_to_directory(scan.roots[i])) continue;
    const std::string path = escaped(scan.roots[i]);
    print_message(path + " is a symbolic link and is not followed; its target is " + path + "/");
  }
}

}  // namespace fathom::cli
