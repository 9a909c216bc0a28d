// Opens the output of a command.

#include "flag/open_output.h"

#include "fathom/base/error.h"
#include "message.h"

namespace fathom::cli {

Output open_output(const CommonRequest& request) {
  try {
    return Output(request.output);
  } catch (const base::SystemError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace fathom::cli
