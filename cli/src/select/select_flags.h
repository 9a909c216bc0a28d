// The options that select: what each does with its argument.
//
// Each throws UsageError with what is wrong with the argument. No file is read yet.

#pragma once

#include <string_view>

#include "select/select_request.h"

namespace fathom::cli {

void exclude(SelectRequest& request, std::string_view rule);
void exclude_from(SelectRequest& request, std::string_view file);
void set_min_size(SelectRequest& request, std::string_view size);
void set_newer(SelectRequest& request, std::string_view when);
void set_older(SelectRequest& request, std::string_view when);
void set_kinds(SelectRequest& request, std::string_view kinds);
void add_extensions(SelectRequest& request, std::string_view extensions);

// Throws UsageError if nothing could ever be what was asked for. Of an import it is not known yet
// from when ages are counted.
void check_selection(const SelectRequest& request, bool import);

}  // namespace fathom::cli
