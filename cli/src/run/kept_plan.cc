// kept plans: where they are, and their names.

#include "run/kept_plan.h"

#include <sys/stat.h>

#include <cstddef>
#include <cstdlib>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "run/output.h"

namespace fathom::cli {

namespace {

void make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0700);  // the next call finds out whether it exists
    if (slash == std::string::npos) return;
  }
}

// Where plans are kept. Throws base::Error if the user has no directory for that.
std::string plan_folder() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (state != nullptr && state[0] == '/') {
    folder = state;
  } else if (home != nullptr && home[0] == '/') {
    folder = std::string(home) + "/.local/state";
  } else {
    throw base::Error("neither XDG_STATE_HOME nor HOME says where to keep the journal");
  }
  folder += "/fathom/plans";
  make_folders(folder);
  return folder;
}

void save(const act::Plan& plan, const std::string& file) {
  Output output(file, Output::Existing::keep);
  act::write_plan(plan, [&output](std::string_view block) { return output.write(block); });
  output.finish();
}

}  // namespace

std::string keep_plan(const act::Plan& plan) {
  const std::string file = plan_folder() + '/' + std::to_string(base::wall_now_ns());
  save(plan, file);
  return file + ".journal";
}

}  // namespace fathom::cli
