// CommonRequest: the options that all commands that walk a filesystem have in common.

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
  std::vector<std::string> paths;     // never empty: "." by default
  std::optional<std::string> output;  // none: standard output
  base::Units units = base::Units::iec;
  std::size_t top = 0;  // lines of each list; 0: the default of the view
  bool plain = false;

  SelectRequest select;
  bool one_file_system = false;

  unsigned threads = 0;              // 0: the library decides
  bool nice = false;                 // low CPU and I/O priority
  std::optional<std::string> trace;  // the file for the timeline of the threads
  bool memory = false;               // report allocations
  bool thread_stats = false;         // report what each thread used

  When progress = When::automatic;
  When color = When::automatic;
  Help help = Help::none;  // if not none: show help and do nothing else
};

}  // namespace fathom::cli
