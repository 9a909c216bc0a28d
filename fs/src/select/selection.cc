// Selection: tests a name against the exclusion rules, and an entry against the filters.

#include "fathom/fs/selection.h"

#include <algorithm>

#include "fathom/fs/extension.h"

namespace fathom::fs {

bool Selection::excludes(std::string_view path, bool directory) const {
  if (!hidden && path.substr(path.rfind('/') + 1).starts_with('.')) return true;
  return excluded.ignores(path, directory);
}

bool Selection::matches_all() const {
  return only.empty() && min_size == 0 && !newer_than && !older_than && kinds.empty() &&
         extensions.empty() && !where;
}

Selection Selection::by_path() const {
  Selection paths = *this;
  paths.min_size = 0;
  paths.newer_than.reset();
  paths.older_than.reset();
  paths.kinds.clear();
  paths.extensions.clear();
  paths.where.reset();
  return paths;
}

bool Selection::picks(std::string_view path, bool directory) const {
  return only.empty() || only.ignores(path, directory);
}

bool Selection::has_extension(std::string_view name, const Entry& entry) const {
  if (extensions.empty()) return true;
  if (entry.kind() == Kind::directory) return false;
  return std::any_of(extensions.begin(), extensions.end(), [&](const std::string& wanted) {
    return same_extension(extension_of(name), wanted);
  });
}

bool Selection::matches(std::string_view name, const Entry& entry) const {
  if (bytes_of(entry, measure) < min_size) return false;
  if ((newer_than || older_than) && entry.mtime == kUnknownTime) return false;
  if (newer_than && entry.mtime < *newer_than) return false;
  if (older_than && entry.mtime >= *older_than) return false;
  if (!kinds.empty() && !kinds.contains(entry.kind())) return false;
  return has_extension(name, entry) && (!where || where->selects(name, entry));
}

}  // namespace fathom::fs
