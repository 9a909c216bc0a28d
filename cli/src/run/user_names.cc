// look_up_names_in_files: __nss_configure_lookup() of glibc; musl always reads the files.

#include "run/user_names.h"

#if FATHOM_STATIC && __has_include(<nss.h>)
#include <nss.h>

#include <new>
#endif

namespace fathom::cli {

void look_up_names_in_files() {
#if FATHOM_STATIC && __has_include(<nss.h>)
  if (::__nss_configure_lookup("passwd", "files") != 0) throw std::bad_alloc();
  if (::__nss_configure_lookup("group", "files") != 0) throw std::bad_alloc();
#endif
}

}  // namespace fathom::cli
