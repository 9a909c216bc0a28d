// die_with_parent(): ties this process to the one that started it.

#pragma once

namespace fathom::cli {

// The process is killed when the thread that started it ends, however that happens. Only on Linux;
// no effect elsewhere, and if that thread has ended already.
void die_with_parent();

}  // namespace fathom::cli
