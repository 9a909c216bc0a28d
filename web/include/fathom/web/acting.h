// Acting: what a server needs to make plans of acts, and to carry them out for its page.
//
// The library asks for what only its program can do: to keep a plan and its journal where the user
// finds them again, and to tell the user a code. A plan is carried out only with that code, so that
// nobody who merely has the token, such as a program on another machine, can change files.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fathom/act/plan.h"

namespace fathom::web {

// What the user is to be told, where clients of the server cannot read it.
struct ActNotice {
  enum class Step : std::uint8_t {
    reviewed,  // the code carries out the plan
    begun,     // it is carried out now, which the process may not survive; the journal is named
    applied,   // it was carried out; the code, if any, moves back what was moved
    undone,    // it was moved back; if something is left, the code, if any, tries again
  };
  Step step = Step::reviewed;
  std::string code = {};         // empty: nothing can follow, or the server is stopping
  std::uint64_t items = 0;       // of the plan, or done
  std::uint64_t failed = 0;      // items of a run that may have been moved nevertheless
  std::uint64_t held_bytes = 0;  // what emptying the quarantine or trash frees
  bool to_trash = false;         // rather than to a quarantine
  std::string journal = {};      // of an act; bytes
  bool can_undo = false;         // fathom undo may move something back
};

struct Acting {
  // The name of this machine, for plans; empty: unknown.
  std::string host;
  // Where plans move entries, as in act::Plan; empty: the default one of each filesystem.
  std::string quarantine;
  // Where a root of the scan is now: absolute, without symbolic links above it. Null: roots are
  // such paths themselves.
  std::function<std::string(const std::string& root)> real_root;

  // Whether the page may carry out plans that move entries, and move them back. Only for servers
  // that nobody on another machine can connect to. If so, the functions are required. They are
  // called on the threads of the server, one at a time.
  bool allowed = false;
  // Keeps a plan that is about to be carried out, and returns the path of the journal to write,
  // which must not exist. Throws base::Error.
  std::function<std::string(const act::Plan&)> keep;
  std::function<void(const ActNotice&)> tell;
};

}  // namespace fathom::web
