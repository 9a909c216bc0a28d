// Existing paths: looks up the paths that the user names.

#include "run/existing_paths.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "run/path.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

bool does_not_exist(const std::string& path) {
  const int code = why_missing(path);
  return code == ENOENT || code == ENOTDIR || code == ENAMETOOLONG;
}

void require_existing_path(const CommonRequest& request) {
  const std::vector<std::string>& paths = request.paths;
  if (request.from || !std::all_of(paths.begin(), paths.end(), does_not_exist)) return;
  const std::string first = escaped(paths.front());
  if (paths.size() == 1) {
    throw UsageError("cannot scan " + first + ": " +
                     std::generic_category().message(why_missing(paths.front())));
  }
  throw UsageError("none of the " + grouped(paths.size()) + " paths exists, from " + first +
                   " to " + escaped(paths.back()));
}

}  // namespace fathom::cli
