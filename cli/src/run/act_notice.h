// about_act: the messages of `fathom serve --allow-apply`, with their one-time codes.

#pragma once

#include <string>

#include "fathom/base/bytes.h"
#include "fathom/web/acting.h"

namespace fathom::cli {

[[nodiscard]] std::string about_act(const web::ActNotice& notice, base::Units units);

}  // namespace fathom::cli
