// ServeRequest: the parsed arguments of `fathom serve`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/measure.h"
#include "flags/common_request.h"

namespace fathom::cli {

struct ServeRequest : CommonRequest {
  std::string address = "127.0.0.1";
  bool has_address = false;  // --bind was given
  std::uint16_t port = 0;    // 0: the system chooses
  std::string unix_socket;   // path of a socket to use instead of address and port; may be empty
  bool open = true;          // open a browser if there is a desktop
  bool live = false;         // follow the filesystems
  bool allow_apply = false;  // the page may move files
  std::vector<std::string> selection;  // the flags that decide what counts, as given

  fs::Measure measure = fs::Measure::disk;
  std::uint64_t max_operations = 0;  // per second; 0: no limit
};

}  // namespace fathom::cli
