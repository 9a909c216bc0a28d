// Browser: the user's, opened at an address that nobody else may know.
//
// What stands on a command line any user of the machine can read, so the browser is given a file
// instead, which only its owner can read and which leads to the address.

#pragma once

#include <string>

namespace fathom::cli {

// Whether there is a desktop on which one can open.
[[nodiscard]] bool has_desktop();

class Browser {
 public:
  Browser() = default;
  // Removes the file.
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Asks the desktop to open the address, and does not wait for it. False if it cannot even be
  // asked. Once.
  [[nodiscard]] bool open(const std::string& address);

 private:
  [[nodiscard]] bool write(const std::string& address);

  std::string folder_;  // with the file in it; empty: there is none
};

}  // namespace fathom::cli
