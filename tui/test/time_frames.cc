// Measures frames by frame() and by ncursesw: bytes for the terminal, and time, with the same keys
// (docs/decisions/0015):
//
//   TERM=xterm-256color LC_ALL=C.UTF-8 build/release/bin/time_frames

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "grid/frame.h"
#include "model/press.h"
#include "model/update.h"
#include "os/terminfo.h"
#include "sample.h"
#include "screen/screen.h"

// Last: it defines hundreds of macros.
#define NCURSES_WIDECHAR 1
#include <curses.h>

namespace fathom::tui {
namespace {

struct Play {
  const char* what;
  const char* keys;
};

constexpr Play kPlays[] = {
    {"first frame", "<C-l>"},  // does nothing
    {"one row down", "jjjjjjjj"}, {"page down", "<PgDn><PgDn><PgDn><PgDn>"},
    {"sort", "nsMCsn"},           {"open, up", "lhlhjlhjlh"},
    {"views", "2345123451"},      {"filter", "/log<Esc>/dat<Esc>"},
};

// The grids that the keys lead to.
std::vector<Grid> grids_of(const Play& play, unsigned width, unsigned height, bool flat) {
  State state = flat ? initial_state({}, flat_facts(5'000), fs::Measure::disk) : sample_state();
  take_size(state, width, height);
  std::vector<Grid> grids;
  for (const Key& key : keys_of(play.keys)) {
    static_cast<void>(press(state, key));
    supply_extras(state);
    grids.push_back(draw(state));
  }
  return grids;
}

struct Figures {
  double bytes = 0;  // per frame
  double micros = 0;
};

template <class Paint>
Figures played(const std::vector<Grid>& grids, bool first, Paint paint) {
  constexpr int kRounds = 40;
  Figures figures;
  int frames = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (!first) paint(grids.front(), round == 0);
    for (const Grid& grid : grids) {
      const auto start = std::chrono::steady_clock::now();
      figures.bytes += static_cast<double>(paint(grid, first));
      const std::chrono::duration<double, std::micro> taken =
          std::chrono::steady_clock::now() - start;
      figures.micros += taken.count();
      ++frames;
    }
  }
  figures.bytes /= frames;
  figures.micros /= frames;
  return figures;
}

// ---- Our own

class OwnPainter {
 public:
  OwnPainter() : can_(terminal_abilities(1, true).capabilities) {}

  std::size_t operator()(const Grid& grid, bool whole) {
    if (whole) before_ = {};
    const std::string bytes = frame(before_, grid, can_);
    static_cast<void>(!::write(null_, bytes.data(), bytes.size()));
    before_ = grid;
    return bytes.size();
  }

 private:
  Capabilities can_;
  Grid before_;
  int null_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
};

// ---- ncursesw

class CursesPainter {
 public:
  CursesPainter(unsigned width, unsigned height) {
    ::setenv("COLUMNS", std::to_string(width).c_str(), 1);
    ::setenv("LINES", std::to_string(height).c_str(), 1);
    output_ = std::tmpfile();
    screen_ = ::newterm(nullptr, output_, stdin);
    ::start_color();
    ::use_default_colors();
    for (short color = 1; color < 8; ++color) ::init_pair(color, color, -1);
    ::leaveok(stdscr, FALSE);
  }
  ~CursesPainter() {
    ::endwin();
    ::delscreen(screen_);
    std::fclose(output_);
  }
  CursesPainter(const CursesPainter&) = delete;
  CursesPainter& operator=(const CursesPainter&) = delete;

  std::size_t operator()(const Grid& grid, bool whole) {
    const off_t before = ::lseek(::fileno(output_), 0, SEEK_CUR);
    if (whole) ::clearok(stdscr, TRUE);
    for (unsigned y = 0; y < grid.height(); ++y) put_row(grid, y);
    ::move(static_cast<int>(grid.cursor_y), static_cast<int>(grid.cursor_x));
    ::refresh();
    std::fflush(output_);
    return static_cast<std::size_t>(::lseek(::fileno(output_), 0, SEEK_CUR) - before);
  }

 private:
  static attr_t attributes_of(Style style) {
    constexpr short kColors[] = {0, 0, 6, 4, 5, 3, 3, 2, 1};
    attr_t attributes = A_NORMAL;
    if (style.reverse) return A_REVERSE;
    const short color = kColors[static_cast<std::size_t>(style.tone)];
    if (color != 0) attributes |= static_cast<attr_t>(COLOR_PAIR(color));
    if (style.tone != Tone::plain && style.tone != Tone::bar) attributes |= A_BOLD;
    return attributes;
  }

  static void put_row(const Grid& grid, unsigned y) {
    ::move(static_cast<int>(y), 0);
    for (unsigned x = 0; x < grid.width(); ++x) {
      const Cell& cell = grid.at(x, y);
      if (cell.text.empty()) continue;
      ::attrset(static_cast<int>(attributes_of(cell.style)));
      ::addstr(cell.text.c_str());
    }
  }

  FILE* output_ = nullptr;
  SCREEN* screen_ = nullptr;
};

void compare(unsigned width, unsigned height) {
  std::printf("%ux%-22u %10s %10s %10s %10s\n", width, height, "own B", "curses B", "own us",
              "curses us");
  std::vector<std::string> lines;
  {
    OwnPainter own;
    CursesPainter curses(width, height);
    for (const bool flat : {false, true}) {
      for (const Play& play : kPlays) {
        const bool first = &play == &kPlays[0];
        const std::vector<Grid> grids = grids_of(play, width, height, flat);
        const Figures a = played(grids, first, std::ref(own));
        const Figures b = played(grids, first, std::ref(curses));
        std::array<char, 160> line{};
        std::snprintf(line.data(), line.size(), "%-9s %-16s %10.0f %10.0f %10.1f %10.1f",
                      flat ? "5000 rows" : "sample", play.what, a.bytes, b.bytes, a.micros,
                      b.micros);
        lines.emplace_back(line.data());
      }
    }
  }
  for (const std::string& line : lines) std::printf("%s\n", line.c_str());
}

}  // namespace
}  // namespace fathom::tui

int main() {
  std::setlocale(LC_ALL, "");
  fathom::tui::compare(80, 24);
  fathom::tui::compare(200, 60);
  return 0;
}
