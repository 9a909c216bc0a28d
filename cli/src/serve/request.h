// ServeRequest: what one `fathom serve` was asked to do.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fathom/fs/measure.h"
#include "flag/common_request.h"

namespace fathom::cli {

struct ServeRequest : CommonRequest {
  std::string address = "127.0.0.1";
  bool has_address = false;  // it was given
  std::uint16_t port = 0;    // 0: the system chooses
  std::string unix_socket;   // instead of both; empty: none
  bool open = true;          // a browser, where there is a desktop

  std::optional<std::string> from;  // what was scanned before, instead of a scan
  fs::Measure measure = fs::Measure::disk;
  std::uint64_t max_operations = 0;  // a second; 0: no limit
};

}  // namespace fathom::cli
