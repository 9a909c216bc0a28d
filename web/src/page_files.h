// page_files: the files of the page, which are embedded in the program; see web/ui.

#pragma once

#include <span>
#include <string_view>

namespace fathom::web {

struct PageFile {
  std::string_view path;  // "/page.js"; the page itself has "/"
  std::string_view type;  // content type
  std::string_view gzip;  // the compressed content
};

// Empty if the program was built without Node.
[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace fathom::web
