// Page: the files that a browser is given, which were built into the program; see web/ui.

#pragma once

#include <span>
#include <string_view>

namespace fathom::web {

struct PageFile {
  std::string_view path;  // "/page.js"; that of the page itself is "/"
  std::string_view type;  // of its content
  std::string_view gzip;  // what it holds, compressed
};

// Empty where the program was built without Node.
[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace fathom::web
