// Manuals: the list of all manuals.

#include "generate/manuals.h"

#include "dups/help.h"
#include "scan/help.h"
#include "serve/help.h"

namespace fathom::cli {

const std::vector<const Manual*>& manuals() {
  static const std::vector<const Manual*> all = {&scan_manual(), &dups_manual(), &serve_manual()};
  return all;
}

const Manual* manual_of(std::string_view command) {
  for (const Manual* manual : manuals()) {
    if (manual->command == command) return manual;
  }
  return nullptr;
}

std::string command_names() {
  std::string names;
  for (const Manual* manual : manuals()) {
    names += (names.empty() ? "" : " ") + std::string(manual->command);
  }
  return names;
}

}  // namespace fathom::cli
