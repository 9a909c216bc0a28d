// SourceName: a short name for a source file.

#pragma once

#include <string_view>

namespace fathom::base {

// Files of Fathom relative to its root, others with their last two folders. A relative path loses
// its leading "../" components, which ccache adds. The result is a part of `path`.
[[nodiscard]] std::string_view source_name(std::string_view path);

}  // namespace fathom::base
