// TrashInfo: the file that tells where an entry of the trash comes from.

#pragma once

#include <string>
#include <string_view>

namespace fathom::act {

// A path or a name as a URL has it (RFC 3986).
[[nodiscard]] std::string percent_encoded(std::string_view path);

// The name of the file in info/ that belongs to an entry of files/.
[[nodiscard]] std::string trash_info_name(const std::string& name);

// Its text, for a path relative to the top of that trash, or absolute; deleted now, in local time.
[[nodiscard]] std::string trash_info_text(const std::string& path);

}  // namespace fathom::act
