// OneTable: a table that is all of an output, or a part of it, in columns or plain.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fathom/fs/blocks.h"
#include "fathom/fs/table.h"
#include "view/view.h"

namespace fathom::cli {

// With a line below it about columns that did not fit; `format` has all of them.
void write_one_table(const fs::Table& table, const View& view, std::string_view format,
                     fs::Blocks& text);

// "2 columns hidden: widen the terminal or use --format csv".
[[nodiscard]] std::string hidden_columns_note(std::size_t columns, std::string_view format);

}  // namespace fathom::cli
