// Opens the user's browser.

#pragma once

#include <string>

namespace fathom::cli {

// Whether there is a desktop on which one can open.
[[nodiscard]] bool has_desktop();

// Asks the desktop to open the address, and does not wait for it. False if it cannot even be asked.
[[nodiscard]] bool open_browser(const std::string& address);

}  // namespace fathom::cli
