// charged_directory(): looks below each root that contains the path.

#include "diff/charged_directory.h"

#include <cstddef>

#include "fathom/base/path.h"

namespace fathom::store {

namespace {

// The directory below another one.
std::optional<std::uint64_t> find_below(DirectoryTable& table, std::uint64_t row,
                                        std::string_view rest) {
  std::optional<std::uint64_t> at = row;
  while (at) {
    const std::size_t begin = rest.find_first_not_of('/');
    if (begin == std::string_view::npos) break;
    rest.remove_prefix(begin);
    const std::string_view name = rest.substr(0, rest.find('/'));
    rest.remove_prefix(name.size());
    at = table.find_in(table.subdirectories(*at), name);
  }
  return at;
}

}  // namespace

std::optional<std::uint64_t> charged_directory(DirectoryTable& table, std::string_view path) {
  std::optional<std::uint64_t> found;
  std::uint64_t most = 0;
  std::size_t outermost = 0;
  const RowInterval roots = table.roots();
  for (std::uint64_t root = roots.begin; root < roots.end; ++root) {
    const std::string_view name = table.name(root);
    if (!base::is_at_or_below(path, name)) continue;
    const auto row = find_below(table, root, path.substr(name.size()));
    if (!row) continue;
    const std::uint64_t entries = table.entry_count(*row);
    if (found && (entries < most || (entries == most && name.size() > outermost))) continue;
    found = row;
    most = entries;
    outermost = name.size();
  }
  return found;
}

}  // namespace fathom::store
