// View: the options of a request.

#include "view/view.h"

namespace fathom::cli {

View common_view(const CommonRequest& request, int descriptor) {
  View view;
  view.units = request.units;
  view.top = request.top;
  view.plain = request.plain;
  view.terminal = terminal_of(descriptor, request.plain ? When::never : request.color);
  return view;
}

}  // namespace fathom::cli
