// Typing: keys as the layers read them: letters, movements, and changes of a prompt.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "grid/key.h"

namespace fathom::tui {

[[nodiscard]] bool is_text(const Key& key, std::string_view text);
[[nodiscard]] bool is_control(const Key& key, std::string_view letter);

// Where the cursor goes, in a list of that size of which so many rows are on the screen; nothing if
// the key does not move.
[[nodiscard]] std::optional<std::size_t> moved(const Key& key, std::size_t at, std::size_t size,
                                               std::size_t rows);

// Where a text goes that has more lines than that, and whose other keys are for something else;
// nothing if the key is not for it. How far there are lines is up to those who show it.
[[nodiscard]] std::optional<std::size_t> paged(const Key& key, std::size_t at, std::size_t rows);

// Changes the prompt. Returns whether the key was for it.
bool edit(std::string& prompt, const Key& key);

}  // namespace fathom::tui
