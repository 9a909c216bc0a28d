// Browser: opens the browser of the user at an address that must stay secret.
//
// Any user of the machine can read command lines. So the browser gets a file that only its owner
// can read and that redirects to the address.

#pragma once

#include <string>

namespace fathom::cli {

// Whether there is a desktop on which a browser can open.
[[nodiscard]] bool has_desktop();

class Browser {
 public:
  Browser() = default;
  // Removes the file.
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Asks the desktop to open the address, and does not wait for it. Returns false if xdg-open
  // cannot be started. Call it at most once.
  [[nodiscard]] bool open(const std::string& address);

 private:
  [[nodiscard]] bool write(const std::string& address);

  std::string folder_;  // the directory of the file; empty: there is none
};

}  // namespace fathom::cli
