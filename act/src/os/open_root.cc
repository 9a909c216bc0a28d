// open_roots: opens each root by its path.

#include "os/open_root.h"

#include <cstddef>

#include "os/safe_open.h"

namespace fathom::act {

std::vector<OpenRoot> open_roots(const std::vector<std::string>& paths) {
  std::vector<OpenRoot> roots(paths.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    roots[i].code = -open_real_root(paths[i], roots[i].folder);
  }
  return roots;
}

}  // namespace fathom::act
