// open_file: whether a process has a file open, and which one.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "fathom/act/open_file.h"
#include "os/file_state.h"
#include "os/processes.h"

namespace fathom::act {

// Nothing if no process has it open. `path_of` returns its path.
template <class PathOf>
std::optional<OpenFile> open_file(const Processes& processes, const FileState& state,
                                  std::uint64_t bytes, const PathOf& path_of) {
  const auto user = processes.open.find({state.identity.device, state.identity.inode});
  if (user == processes.open.end()) return std::nullopt;
  const OpenIn& process = user->second;
  return OpenFile{path_of(), bytes, static_cast<std::uint64_t>(process.pid), process.command};
}

}  // namespace fathom::act
