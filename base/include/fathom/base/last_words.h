// LastWords: what a program says when std::terminate() ends it.
//
// The exception with its message, where it was thrown and the calls that led there, as error_text()
// prints them; where the exception has no trace, and without one, the calls of std::terminate(),
// which are those of the throw if nothing has handled it. An exception that is only being handled
// when something else ends the program (a std::thread that is destroyed and was not joined) is told
// as that, with the calls. Then std::abort().
//
//   int main() {
//     report_uncaught();
//   }

#pragma once

namespace fathom::base {

struct LastWordsOptions {
  bool color = false;
  int descriptor = 2;
};

// For the whole program, in place of the handler of std::set_terminate() that there was.
void report_uncaught(LastWordsOptions options = {});

}  // namespace fathom::base
