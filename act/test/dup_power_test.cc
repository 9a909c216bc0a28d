// A power cut at any step loses nothing, and the next run finishes.
//
// A plan is carried out on an ext4 in an image file. Right before a step the image is copied: it
// contains what has reached the disk so far, but nothing that is only in memory. The copy is then
// mounted in its place, as after a power cut, and checked.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "dup_acts.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/subprocess.h"

namespace fathom::act {
namespace {

void must(bool holds, const std::string& what) {
  if (!holds) throw base::Error(what);
}

// For system calls.
void must_succeed(int result, const std::string& call) {
  must(result == 0, call + ": " + std::generic_category().message(errno));
}

// Runs a program and returns its output.
std::string said_by(const std::vector<std::string>& command) {
  const auto result = testing::run(command);
  must(result.status == 0, command[0] + ": " + result.err);
  return result.out.substr(0, result.out.find('\n'));
}

void copy_over(const std::string& from, const std::string& to) {
  const std::string content = read_whole(from);
  // In place, because the loop device has the file open; at once, because this is done a thousand
  // times.
  const base::Fd target(::open(to.c_str(), O_WRONLY | O_CLOEXEC));
  const auto written = ::pwrite(target.get(), content.data(), content.size(), 0);
  must(written == static_cast<::ssize_t>(content.size()), "cannot copy " + from);
}

// A filesystem in a file, always on the same device, so that identities survive a power cut.
class Disk {
 public:
  Disk(std::string image, std::string folder)
      : image_(std::move(image)),
        folder_(std::move(folder)),
        device_(said_by({"losetup", "--find", "--show", image_})) {}
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  ~Disk() {
    try {
      if (mounted_) unmount();
      (void)said_by({"losetup", "--detach", device_});
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }

  // Mounted so that nothing is written unless requested.
  void mount() {
    must_succeed(::mount(device_.c_str(), folder_.c_str(), "ext4", 0, "commit=600"), "mount");
    mounted_ = true;
  }
  void unmount() {
    must_succeed(::umount2(folder_.c_str(), 0), "umount");
    mounted_ = false;
  }
  void keep_as(const std::string& copy) const {
    std::ofstream(copy, std::ios::binary).close();
    copy_over(image_, copy);
  }
  void become(const std::string& copy) const { copy_over(copy, image_); }

  // Writes everything, as the system may do at any time.
  void sync() const {
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(folder >= 0 && ::syncfs(folder) == 0, "cannot sync");
    ::close(folder);
  }

 private:
  const std::string image_;
  const std::string folder_;
  const std::string device_;
  bool mounted_ = false;
};

struct PowerIsCut {};

class PowerCut : public Acts {
 protected:
  static constexpr int kPairs = 6;  // one batch that is synced as a whole, and one that is not

  void SetUp() override {
    if (!testing::is_root()) GTEST_SKIP() << "only root may mount";
    if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
    tree_.dir("disk");
    tree_.dir("images");
    EXPECT_EQ(testing::in_mount_namespace([&] {
                try {
                  make_image();
                  Disk disk(image(), tree_.path("disk"));
                  disk.mount();
                } catch (const base::Error& error) {
                  std::ofstream(tree_.path("why not")) << error.what();
                }
              }),
              0);
    if (std::filesystem::exists(tree_.path("why not"))) {
      GTEST_SKIP() << "an ext4 cannot be created and mounted here: "
                   << read_whole(tree_.path("why not"));
    }
  }

  // In memory, and thus faster than any disk. Call it where mounts are permitted.
  void make_image() const {
    (void)said_by({"mount", "-t", "tmpfs", "tmpfs", tree_.path("images")});
    std::ofstream(image()).close();
    std::filesystem::resize_file(image(), std::uintmax_t{8} << 20);
    // Inodes with room for nanoseconds.
    (void)said_by({"mkfs.ext4", "-q", "-F", "-I", "256", image()});
  }
  [[nodiscard]] std::string image() const { return tree_.path("images/disk"); }

  [[nodiscard]] std::string data() const { return tree_.path("disk/data"); }
  [[nodiscard]] std::string kept(int pair) const { return data() + '/' + name(pair, "kept"); }
  [[nodiscard]] std::string copy(int pair) const { return data() + '/' + name(pair, "copy"); }
  static std::string name(int pair, const std::string& file) {
    return std::to_string(pair) + '/' + file;
  }

  [[nodiscard]] ApplyOptions disk_options() const {
    ApplyOptions options;
    options.dry_run = false;
    options.journal = tree_.path("disk/journal");
    options.quarantine = tree_.path("disk/away");
    options.acts_at_once = 5;
    return options;
  }

  // Copies that are on the disk.
  void prepare(Disk& disk) const {
    disk.mount();
    for (int i = 0; i < kPairs; ++i) {
      std::filesystem::create_directories(data() + '/' + std::to_string(i));
      std::ofstream(copy(i)) << "pair " << i;
    }
    disk.unmount();
    disk.keep_as(tree_.path("images/prepared"));
  }

  // Carries out a plan whose kept files are only in memory, up to a step if it has that many. If
  // lag > 0, the system syncs that many steps before.
  bool is_cut_at(int at, int lag, DupAction action, Disk& disk, DupPlan& planned) const {
    disk.become(tree_.path("images/prepared"));
    disk.mount();
    std::vector<std::vector<std::string>> pairs;
    for (int i = 0; i < kPairs; ++i) {
      std::ofstream(kept(i)) << "pair " << i;
      pairs.push_back({name(i, "kept"), name(i, "copy")});
    }
    planned = plan_for(action, data(), pairs);
    int steps = 0;
    ApplyOptions cut = disk_options();
    cut.before_step = [&](std::string_view) {
      if (lag > 0 && steps == at - lag) disk.sync();
      if (steps++ != at) return;
      disk.keep_as(tree_.path("images/cut"));
      throw PowerIsCut();
    };
    bool is_cut = false;
    try {
      (void)apply_plan(planned, cut);
    } catch (const PowerIsCut&) {
      is_cut = true;
    }
    disk.unmount();
    return is_cut;
  }

  void expect_nothing_lost() const {
    auto contents = contents_of(tree_.path("disk"));
    for (int i = 0; i < kPairs; ++i) {
      must(contents.count("pair " + std::to_string(i)) == 1, "content is lost");
    }
  }

  // If the power cut has destroyed a kept file, its copy is left alone.
  void expect_finished(DupAction action, const DupPlan& planned) const {
    std::vector<Outcome> outcomes;
    ApplyOptions whole = disk_options();
    whole.on_act = [&](const Act& act) { outcomes.push_back(act.outcome); };
    (void)apply_plan(planned, whole);
    must(outcomes.size() == kPairs, "not all acts were reported");
    for (int i = 0; i < kPairs; ++i) {
      const bool is_done = outcomes[static_cast<std::size_t>(i)] == Outcome::done ||
                           outcomes[static_cast<std::size_t>(i)] == Outcome::done_before;
      const bool has_kept =
          std::filesystem::exists(kept(i)) && read_whole(kept(i)) == "pair " + std::to_string(i);
      must(is_done == has_kept, "a pair was not finished, or finished without its kept file");
      if (!is_done) {
        must(std::filesystem::exists(copy(i)), "a copy is missing");
      } else if (action == DupAction::hardlink) {
        must(is_same_inode(kept(i), copy(i)), "a copy is not a link");
      } else {
        must(!std::filesystem::exists(copy(i)), "a copy is left");
      }
    }
    must(temp_names_in(tree_.path("disk")).empty(), "a name is left behind");
  }
};

TEST_F(PowerCut, AtAnyStepNothingIsLostAndTheNextRunFinishes) {
  EXPECT_EQ(
      testing::in_mount_namespace([&] {
        make_image();
        Disk disk(image(), tree_.path("disk"));
        prepare(disk);
        for (const DupAction action : kActionsAnywhere) {
          bool goes_on = true;
          for (int step = 0; goes_on; ++step) {
            for (const int lag : step % 2 == 0 ? std::vector{0, 1 + step % 3} : std::vector{0}) {
              DupPlan planned;
              goes_on = is_cut_at(step, lag, action, disk, planned);
              if (!goes_on) break;
              disk.become(tree_.path("images/cut"));
              disk.mount();
              try {
                expect_nothing_lost();
                expect_finished(action, planned);
                expect_nothing_lost();
              } catch (const std::exception& error) {
                throw base::Error(std::string(to_string(action)) + ", cut at step " +
                                  std::to_string(step) + ", written " + std::to_string(lag) +
                                  " before: " + error.what());
              }
              disk.unmount();
            }
            must(goes_on || step > 30, "there were too few steps");
          }
        }
      }),
      0);
}

}  // namespace
}  // namespace fathom::act
