// The temporary names that an act uses beside its victim: .fathom-dups-DIGEST-NUMBER.new is the new
// link, which an exchange turns into the victim's name, and .old is a victim that was moved aside.
// A killed run may leave files with such names.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom::act {

inline constexpr std::string_view kTempPrefix = ".fathom-dups-";

// The prefix of an act's names, from the digest of its plan and its number in the plan.
[[nodiscard]] inline std::string temp_prefix_of(const std::string& digest, std::uint64_t number) {
  return std::string(kTempPrefix) + digest + '-' + std::to_string(number);
}

[[nodiscard]] inline std::string new_name(const std::string& temp_prefix) {
  return temp_prefix + ".new";
}
[[nodiscard]] inline std::string old_name(const std::string& temp_prefix) {
  return temp_prefix + ".old";
}

// Whether a name, without directories, is a temporary name of any plan.
[[nodiscard]] inline bool is_temp_name(std::string_view name) {
  if (!name.starts_with(kTempPrefix) || !(name.ends_with(".new") || name.ends_with(".old"))) {
    return false;
  }
  name.remove_prefix(kTempPrefix.size());
  name.remove_suffix(4);
  const std::size_t dash = name.find('-');
  return dash != 0 && dash != std::string_view::npos && dash + 1 < name.size() &&
         name.find_first_not_of("0123456789abcdef") == dash &&
         name.find_first_not_of("0123456789", dash + 1) == std::string_view::npos;
}

}  // namespace fathom::act
