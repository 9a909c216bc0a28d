// WriteList: a file, and where it is.

#include "write_list.h"

#include <vector>

#include "fathom/text/label.h"
#include "fathom/text/number.h"
#include "model/press.h"
#include "os/path_file.h"

namespace fathom::tui {

std::string write_list(const State& state, const std::string& file) {
  const std::vector<std::string> paths = paths_to_write(state);
  std::string error = write_paths(file, paths);
  if (!error.empty()) return error;
  return "wrote " + text::counted(paths.size(), "path", "paths") + " for xargs -0 to " +
         text::escaped(whole_path(file), state.settings.unicode);
}

}  // namespace fathom::tui
