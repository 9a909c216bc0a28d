// Disk: how full the filesystem of a path is.

#pragma once

#include <optional>
#include <string>

namespace fathom::tui {

// In per cent, as df rounds it: up. Nothing if it is unknown.
[[nodiscard]] std::optional<unsigned> disk_percent(const std::string& path);

}  // namespace fathom::tui
