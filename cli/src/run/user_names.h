// look_up_names_in_files: names of users and groups in a static program.

#pragma once

namespace fathom::cli {

// In a static program, makes the C library read /etc/passwd and /etc/group itself. Otherwise it
// would load what /etc/nsswitch.conf lists, and these libraries only fit the C library of the
// system. Other programs are not affected. To be called before names are looked up.
void look_up_names_in_files();

}  // namespace fathom::cli
