// Refusal: the error for an invalid argument of an option.

#include "flag/refusal.h"

#include <string>

#include "message.h"
#include "term/label.h"

namespace fathom::cli {

void refuse(std::string_view flag, std::string_view argument, std::string_view want) {
  throw UsageError("option '--" + std::string(flag) + "' takes " + std::string(want) + ", not '" +
                   escaped(argument) + "'");
}

}  // namespace fathom::cli
