// ComparedMemory: messages instead of errors.

#include "run/compared_memory.h"

#include <chrono>
#include <string>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/fs/filesystem_id.h"
#include "run/store_place.h"
#include "term/message.h"

namespace fathom::cli {

ComparedMemory::ComparedMemory(const DupsRequest& request) {
  if (!request.cache) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  memory_.settled_before_ns =
      fs::settled_before(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  memory_.today = static_cast<std::uint16_t>(std::chrono::floor<std::chrono::days>(now).count());
  const std::string path = store_path(request);
  try {
    store_ = store::Store::open_or_create(path);
  } catch (const base::Error& error) {
    print_message("nothing is remembered: " + std::string(error.what()));
    return;
  }
  try {
    memory_.known = store_->compared_files();
  } catch (const base::Error& error) {
    print_message("all files are read: " + std::string(error.what()));
  }
}

const fs::DuplicateMemory* ComparedMemory::for_search(const fs::Tree& tree) {
  if (!wanted()) return nullptr;
  memory_.filesystems = fs::lasting_filesystems(tree);
  return &memory_;
}

void ComparedMemory::keep(fs::ComparedFiles learned) {
  if (!wanted() || learned.files.empty()) return;
  memory_.known = {};  // take() reads it again, because others may have replaced it
  try {
    store_->add_compared_files(std::move(learned), memory_.today);
  } catch (const base::Error& error) {
    print_message("nothing new is remembered: " + std::string(error.what()));
  }
}

}  // namespace fathom::cli
