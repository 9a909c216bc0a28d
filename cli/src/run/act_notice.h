// tell_about_act: the messages of `fathom serve --allow-apply`, with their one-time codes.

#pragma once

#include "fathom/base/bytes.h"
#include "fathom/web/acting.h"

namespace fathom::cli {

void tell_about_act(const web::ActNotice& notice, base::Units units);

}  // namespace fathom::cli
