// The options that select entries: each function stores the argument of one option.
//
// Each throws UsageError if the argument is not valid. None reads a file.

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

// Throws UsageError if no entry could ever match. For an import, ages are relative to the time of
// the export, which is not known yet.
void check_selection(const SelectRequest& request, bool import);

}  // namespace fathom::cli
