// OneTable: chooses the view of the table.

#include "view/one_table.h"

#include "term/number.h"
#include "term/wrapped.h"
#include "view/plain_table.h"
#include "view/text_table.h"

namespace fathom::cli {

void write_one_table(const fs::Table& table, const View& view, std::string_view format,
                     fs::Blocks& text) {
  if (view.plain) return write_plain_table(table, view, text);
  const std::size_t hidden = write_text_table(table, view, text);
  if (hidden == 0) return;
  text.put(wrapped(hidden_columns_note(hidden, format), 0, view.terminal.width));
  text.put('\n');
}

std::string hidden_columns_note(std::size_t columns, std::string_view format) {
  return counted(columns, "column", "columns") + " hidden: widen the terminal or use --format " +
         std::string(format);
}

}  // namespace fathom::cli
