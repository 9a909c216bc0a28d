// read_ncdu_header: what an export says about itself, before the root.

#pragma once

#include "fathom/fs/ncdu_import.h"
#include "format/json_input.h"

namespace fathom::fs {

// Reads the beginning of a text, up to the root. Refuses other formats and versions. Of the scan,
// it sets filtered_out and cancelled, which only our own exports contain.
void read_ncdu_header(JsonInput& input, NcduImport& into);

}  // namespace fathom::fs
