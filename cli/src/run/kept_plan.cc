// kept plans: where they are, and their names.

#include "run/kept_plan.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "run/output.h"
#include "run/store_place.h"

namespace fathom::cli {

namespace {

// For a journal, which grows while a plan is carried out.
constexpr std::uint64_t kRoom = 1 << 20;  // bytes

[[noreturn]] void fail_full(const std::string& path) {
  throw base::SystemError("cannot write to '" + path + "'", ENOSPC);
}

void make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    // Another error than this one is found when the file is created.
    if (::mkdir(path.substr(0, slash).c_str(), 0700) != 0 && errno == ENOSPC) fail_full(path);
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

void check_room(const std::string& folder) {
  struct statvfs space {};
  if (::statvfs(folder.c_str(), &space) != 0) return;
  if (std::uint64_t{space.f_bavail} * space.f_frsize < kRoom) fail_full(folder);
}

// In memory, where there is room on a machine whose disks are full.
std::string folder_in_memory() {
  std::string folder = "/dev/shm/fathom-plan-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr)
    throw base::SystemError("cannot write to /dev/shm", errno);
  return folder;
}

std::string save(const act::Plan& plan, const std::string& folder) {
  check_room(folder);
  const std::string file = folder + '/' + std::to_string(base::wall_now_ns());
  save_plan(plan, file);
  return file + ".journal";
}

}  // namespace

void save_plan(const act::Plan& plan, const std::string& file) {
  Output output(file, Output::Existing::keep);
  act::write_plan(plan, output.sink());
  output.finish();
}

std::string keep_plan(const act::Plan& plan) {
  try {
    return save(plan, plan_folder());
  } catch (const base::SystemError& full) {
    if (!is_full(full)) throw;
    try {
      return save(plan, folder_in_memory());
    } catch (const base::SystemError&) {
      throw base::Error(std::string(full.what()) +
                        "; XDG_STATE_HOME can name a directory on another filesystem");
    }
  }
}

}  // namespace fathom::cli
