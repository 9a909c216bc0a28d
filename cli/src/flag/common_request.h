// CommonRequest: what every command that walks a filesystem can be asked for.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "select/select_request.h"
#include "term/terminal.h"

namespace fathom::cli {

enum class Help { none, brief, full };

struct CommonRequest {
  std::vector<std::string> paths;     // never empty: "." unless said
  std::optional<std::string> output;  // none: standard output
  base::Units units = base::Units::iec;
  std::size_t top = 0;  // lines of each list; 0: as the view likes
  bool plain = false;

  SelectRequest select;
  bool one_file_system = false;

  unsigned threads = 0;              // 0: the library decides
  bool nice = false;                 // others go first
  std::optional<std::string> trace;  // where to write what threads did
  bool memory = false;               // tells what was allocated
  bool thread_stats = false;         // tells what each thread used

  When progress = When::automatic;
  When color = When::automatic;
  Help help = Help::none;  // other than none: and nothing else
};

}  // namespace fathom::cli
