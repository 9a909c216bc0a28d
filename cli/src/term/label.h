// Labels of text/, and those of messages, which depend on the locale.

#pragma once

#include <string>
#include <string_view>

#include "fathom/text/label.h"

namespace fathom::cli {

using text::escaped;
using text::Label;

// For messages: unicode depends on the locale.
[[nodiscard]] std::string escaped(std::string_view name);

// The name of a file, for commands in messages: quoted for a shell if necessary, and with ./ before
// what a command would take as an option. A name that must be escaped is not exact.
[[nodiscard]] std::string shell_word(std::string_view name);

// text::safe() by the locale: a sentence in which names may be escaped already.
[[nodiscard]] std::string safe(std::string_view sentence);

// The sentence of a library's error, in which the name, if it is there, is escaped.
[[nodiscard]] std::string with_escaped(std::string sentence, std::string_view name);

}  // namespace fathom::cli
