// unfinished_acts: looks for temporary names of the acts that a journal has begun.

#include "dups/unfinished.h"

#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "dups/temp_name.h"
#include "dups/verified_file.h"

namespace fathom::fs {

namespace {

// The existing temporary names of one act.
std::vector<std::string> names_left(const Journal& journal, std::uint64_t act,
                                    const Journal::Entry& entry) {
  std::vector<std::string> names;
  const std::string& root_path = journal.head().roots[entry.root];
  Fd root;
  Location location;
  if (open_root(root_path, root) < 0 || find_location(root.get(), entry.path, location) < 0)
    return names;
  const std::string whole = (root_path.size() > 1 ? root_path + '/' : root_path) + entry.path;
  const std::string folder = whole.substr(0, whole.rfind('/') + 1);
  const std::string temp_prefix = temp_prefix_of(journal.head().plan, act);
  for (const std::string& name : {new_name(temp_prefix), old_name(temp_prefix)}) {
    Location left;
    if (beside(location, name, left) < 0 || occupant_of(left, {}) == Occupant::none) continue;
    names.push_back(folder + name);
  }
  return names;
}

}  // namespace

// A refused act has also begun and is not done: only its remaining names make the difference.
Unfinished unfinished_acts(const Journal& journal) {
  Unfinished unfinished;
  for (const auto& [act, entry] : journal.entries()) {
    if (entry.stage != Journal::Stage::begun) continue;
    const std::vector<std::string> names = names_left(journal, act, entry);
    if (names.empty()) continue;
    ++unfinished.acts;
    unfinished.names.insert(unfinished.names.end(), names.begin(), names.end());
  }
  return unfinished;
}

Unfinished unfinished_acts(const std::string& journal) {
  struct stat seen = {};
  if (::stat(journal.c_str(), &seen) != 0 && errno == ENOENT) return {};
  if (S_ISREG(seen.st_mode) && seen.st_size == 0) return {};  // killed before it wrote the head
  const std::function<void(std::string_view)> nobody;
  const MutatingOps ops(nobody);
  return unfinished_acts(Journal(journal, Journal::Access::read, ops));
}

}  // namespace fathom::fs
