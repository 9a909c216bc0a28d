// Sample: a hand-made tree.

#include "sample.h"

#include <sys/stat.h>

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "fathom/fs/tree_builder.h"
#include "model/growth.h"
#include "model/update.h"
#include "screen/screen.h"

namespace fathom::tui {

namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::int64_t kDay = 24 * 60 * 60;

class SampleTree {
 public:
  SampleTree() { rows_.emplace(builder_); }

  fs::DirId directory(fs::DirId parent, std::string_view name, std::int64_t days = 3) {
    const std::uint32_t depth = parent == fs::kNoDir ? 0 : depths_[parent] + 1;
    const auto [node, id] =
        rows_->add_directory(parent, depth, name, entry(4 * kKiB, days, S_IFDIR | 0755));
    if (id >= depths_.size()) depths_.resize(id + 1);
    depths_[id] = depth;
    if (parent == fs::kNoDir) root_ = node;
    return id;
  }

  void file(fs::DirId parent, std::string_view name, std::uint64_t size, std::int64_t days = 30) {
    rows_->add(parent, name, entry(size, days, S_IFREG | 0644));
  }

  void files(fs::DirId parent, int count, std::uint64_t size, const char* form, std::int64_t days) {
    for (int i = 0; i < count; ++i) {
      char name[64];
      std::snprintf(name, sizeof name, form, i);
      file(parent, name, size, days + i % 7);
    }
  }

  void linked(fs::DirId parent, std::string_view name, std::uint64_t inode, std::uint64_t size,
              std::uint32_t links) {
    fs::Entry one = entry(size, 100, S_IFREG | 0644);
    one.inode = inode;
    one.links = links;
    rows_->add(parent, name, one);
  }

  void special(fs::DirId parent, std::string_view name, mode_t type) {
    rows_->add(parent, name, entry(0, 400, static_cast<std::uint16_t>(type | 0600)));
  }

  void mark(fs::DirId id, fs::NodeFlag flag) { rows_->mark(id, flag); }

  fs::Tree finish() {
    rows_.reset();
    return builder_.finish({root_});
  }

 private:
  fs::Entry entry(std::uint64_t size, std::int64_t days, std::uint16_t mode) {
    const auto uid = static_cast<std::uint32_t>(days > 300 ? 0 : 1000);
    return {.size = size,
            .blocks = (size + 511) / 512,
            .inode = next_inode_++,
            .device = 1,
            .mtime = kSampleNow - days * kDay,
            .uid = uid,
            .gid = uid,
            .links = 1,
            .mode = mode};
  }

  fs::TreeBuilder builder_;
  std::optional<fs::TreeBuilder::Appender> rows_;
  std::vector<std::uint32_t> depths_;
  std::uint64_t next_inode_ = 1000;
  fs::NodeId root_ = fs::kNoNode;
};

fs::OwnerNames sample_owners() {
  const auto name = [](std::uint32_t id) -> std::optional<std::string> {
    if (id == 0) return "root";
    return id == 1000 ? std::optional<std::string>("ada") : std::nullopt;
  };
  return {name, name};
}

void add_projects(SampleTree& made, fs::DirId top) {
  const fs::DirId shop = made.directory(top, "shop");
  const fs::DirId target = made.directory(shop, "target", 199);
  made.files(target, 60, 640 * kMiB, "libshop-%04d.rlib", 199);
  made.files(target, 60, 3 * kMiB, "shop-%04d.o", 199);
  made.file(shop, "Cargo.toml", 812, 210);
  made.file(shop, "main.rs", 48 * kKiB, 2);
  const fs::DirId web = made.directory(made.directory(top, "old", 400), "web", 380);
  const fs::DirId modules = made.directory(web, "node_modules", 320);
  made.files(modules, 250, 70 * kMiB, "module-%03d.js", 320);
}

void add_links(SampleTree& made, fs::DirId top) {
  const fs::DirId backup = made.directory(top, "backup", 90);
  const fs::DirId monday = made.directory(backup, "monday", 91);
  const fs::DirId tuesday = made.directory(backup, "tuesday", 90);
  made.linked(monday, "mail.mbox", 7, 3 * kGiB, 2);
  made.linked(tuesday, "mail.mbox", 7, 3 * kGiB, 2);
  made.linked(tuesday, "system.img", 8, 2 * kGiB, 3);  // and outside
  made.file(monday, "report.pdf", 12 * kMiB, 91);
}

void add_odd_names(SampleTree& made, fs::DirId top) {
  const fs::DirId odd = made.directory(top, "odd names", 12);
  made.file(odd, "two\nlines", 5 * kMiB, 12);
  made.file(odd, "\x1b[2Jclear\xff", 4 * kMiB, 12);
  made.file(odd, "größe 大きい 😀.txt", 3 * kMiB, 12);
  made.file(odd, "e\u0301tude \u202e reversed", 2 * kMiB, 12);
  made.file(odd, " outer blanks ", kMiB, 12);
  made.file(odd, "back\\slash", 900 * kKiB, 12);
  made.file(odd, "a-very-long-name-" + std::string(230, 'x') + ".log", 800 * kKiB, 12);
}

fs::Scan sample_scan(bool running) {
  SampleTree made;
  const fs::DirId top = made.directory(fs::kNoDir, "/home/ada/code", 1);
  const fs::DirId vm = made.directory(top, "vm", 19);
  made.files(vm, 6, 16 * kGiB, "disk-%d.qcow2", 19);
  add_projects(made, top);
  const fs::DirId photos = made.directory(top, "photos", 0);
  made.files(photos, 400, 40 * kMiB, "IMG_%04d.jpeg", 0);
  const fs::DirId secret = made.directory(photos, "secret", 500);
  made.mark(secret, fs::kIncomplete);
  add_links(made, top);
  add_odd_names(made, top);
  made.directory(top, "empty", 700);
  made.file(top, "notes.md", 18 * kKiB, 0);
  made.file(top, ".profile", 3 * kKiB, 2000);
  made.file(top, "README", 2 * kKiB, 45);
  made.file(top, "from-the-future.log", 9 * kKiB, -40);
  made.special(top, "current", S_IFLNK);
  made.special(top, "queue", S_IFIFO);
  made.special(top, "agent.sock", S_IFSOCK);
  fs::Scan scan;
  scan.roots = {"/home/ada/code"};
  scan.excluded = {{top, "mnt", fs::Excluded::other_filesystem},
                   {top, ".cache", fs::Excluded::pattern}};
  made.mark(top, fs::kHasOmittedChildren);
  scan.errors = {{"/home/ada/code/photos/secret", "open", 13}};
  scan.tree = made.finish();
  scan.seconds = 0.8;
  scan.running = running;
  return scan;
}

fs::NodeId node_at(const Facts& facts, const std::string& path) {
  fs::NodeId found = fs::kNoNode;
  facts.tree().for_each_node([&](fs::NodeId node) {
    if (facts.tree().path(node) == path) found = node;
  });
  return found;
}

Key named_key(std::string_view name) {
  constexpr std::pair<std::string_view, Key::Kind> kNames[] = {
      {"Enter", Key::Kind::enter},  {"Esc", Key::Kind::escape},
      {"Tab", Key::Kind::tab},      {"Backspace", Key::Kind::backspace},
      {"Up", Key::Kind::up},        {"Down", Key::Kind::down},
      {"Left", Key::Kind::left},    {"Right", Key::Kind::right},
      {"Home", Key::Kind::home},    {"End", Key::Kind::end},
      {"PgUp", Key::Kind::page_up}, {"PgDn", Key::Kind::page_down},
  };
  for (const auto& [known, kind] : kNames) {
    if (known == name) return {kind, ""};
  }
  if (name.starts_with("C-")) return {Key::Kind::control, std::string(name.substr(2))};
  throw std::invalid_argument("unknown key " + std::string(name));
}

}  // namespace

std::shared_ptr<const Facts> sample_facts(bool running) {
  return std::make_shared<const Facts>(sample_scan(running), kSampleNow, sample_owners());
}

std::shared_ptr<const Facts> flat_facts(std::uint32_t files) {
  SampleTree made;
  const fs::DirId top = made.directory(fs::kNoDir, "/flat", 1);
  std::uint64_t number = 1;
  for (std::uint32_t i = 0; i < files; ++i) {
    number = number * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t random = number >> 33;
    made.file(top, "file-" + std::to_string(random % 9'000'000) + (i % 3 == 0 ? ".log" : ".dat"),
              (random % 5000) * 4 * kKiB, static_cast<std::int64_t>(random % 900));
  }
  fs::Scan scan;
  scan.roots = {"/flat"};
  scan.tree = made.finish();
  return std::make_shared<const Facts>(std::move(scan), kSampleNow, sample_owners());
}

std::shared_ptr<const Facts> facts_of_two_roots() {
  SampleTree made;
  fs::Scan scan;
  for (const char* const root : {"/one", "/two"}) {
    scan.roots.emplace_back(root);
    made.file(made.directory(fs::kNoDir, root, 1), "a.log", kMiB, 1);
  }
  scan.tree = made.finish();
  return std::make_shared<const Facts>(std::move(scan), kSampleNow, sample_owners());
}

std::shared_ptr<const Findings> sample_clean(std::shared_ptr<const Facts> facts) {
  auto ruled = std::make_shared<Ruled>(Ruled{act::RuleSet::built_in(), {}});
  const auto add = [&](const std::string& path, const char* rule, act::RuleClass cls) {
    act::Candidate one;
    one.path = "/home/ada/code/" + path;
    one.rule = ruled->rules.named(rule);
    one.node = node_at(*facts, one.path);
    one.directory = facts->directory_at(one.node);
    one.cls = cls;
    const bool is_directory = one.directory != fs::kNoDir;
    one.disk_bytes = is_directory ? facts->totals().below(one.directory).disk_bytes
                                  : facts->tree().entry(one.node).disk_bytes();
    one.frees = one.disk_bytes;
    one.newest =
        is_directory ? facts->newest().below(one.directory) : facts->tree().mtime(one.node);
    if (cls == act::RuleClass::safe) one.rebuild = one.rule->rebuild;
    if (cls == act::RuleClass::tool) one.command = one.rule->command;
    ruled->found.items.push_back(one);
  };
  using Class = act::RuleClass;
  add("shop/target", "cargo-target", Class::safe);
  ruled->found.items.back().evidence = {"CACHEDIR.TAG", "../Cargo.toml"};
  add("old/web/node_modules", "node-modules", Class::probably);
  ruled->found.items.back().demotions = {"there is no lock file beside it"};
  add("empty", "empty-directories", Class::probably);
  add("vm/disk-5.qcow2", "big-and-old", Class::yours);
  add("backup/monday", "apt", Class::tool);
  ruled->found.skipped.push_back({node_at(*facts, "/home/ada/code/photos"), "/home/ada/code/photos",
                                  ruled->rules.named("cachedir-tag"),
                                  "is open in process 812 (viewer)"});
  return std::make_shared<const Findings>(findings_of(std::move(facts), std::move(ruled)));
}

std::shared_ptr<const Findings> sample_equal(std::shared_ptr<const Facts> facts) {
  fs::Duplicates same;
  const auto add = [&](const std::string& form, int count) {
    fs::DuplicateGroup group;
    for (int i = 0; i < count; ++i) {
      std::string path = "/home/ada/code/" + form;
      path[path.find('#')] = static_cast<char>('0' + i);
      group.files.push_back({node_at(*facts, path), static_cast<std::uint32_t>(i), {}, {}});
    }
    same.groups.push_back(std::move(group));
  };
  add("vm/disk-#.qcow2", 3);
  add("shop/target/libshop-000#.rlib", 2);
  return std::make_shared<const Findings>(findings_of(std::move(facts), same));
}

std::shared_ptr<const Findings> sample_growth(std::shared_ptr<const Facts> facts) {
  store::Diff diff;
  diff.before = 101 * kGiB;
  diff.after = 126 * kGiB;
  diff.directories = {{.name = "/home/ada/code", .before = 101 * kGiB, .after = 126 * kGiB},
                      {.name = "photos", .parent = 0, .before = 9 * kGiB, .after = 16 * kGiB}};
  diff.created.items = {{.path = "/home/ada/code/vm/disk-5.qcow2", .after = 16 * kGiB},
                        {.path = "/home/ada/code/shop/target", .after = 38 * kGiB}};
  diff.changed.items = {
      {.path = "/home/ada/code/notes.md", .before = 30 * kKiB, .after = 18 * kKiB}};
  diff.removed.items = {{.path = "/home/ada/code/old/web/dist", .before = 36 * kGiB}};
  return std::make_shared<const Findings>(
      findings_of(std::move(facts), diff, kSampleNow - 20 * kDay, {"/home/ada/code"}));
}

State sample_state(bool unicode) {
  Settings settings;
  settings.unicode = unicode;
  settings.home = "/home/ada";
  settings.can_plan = true;
  State state = initial_state(std::move(settings), sample_facts(), fs::Measure::disk);
  state.disk_percent = 91;
  return state;
}

void supply_extras(State& state) {
  if (!wants_extras(state)) return;
  const bool known = state.extras != nullptr && state.extras->facts == state.facts &&
                     state.extras->measure == state.how.measure;
  if (!known) take_extras(state, std::make_shared<const Extras>(state.facts, state.how.measure));
}

void supply_findings(State& state) {
  const auto wanted = wanted_search(state);
  if (!wanted) return;
  begin_search(state, *wanted);
  const auto findings = *wanted == Search::clean    ? sample_clean(state.facts)
                        : *wanted == Search::growth ? sample_growth(state.facts)
                                                    : sample_equal(state.facts);
  take_findings(state, *wanted, findings);
}

std::vector<Key> keys_of(std::string_view words) {
  std::vector<Key> keys;
  while (!words.empty()) {
    if (words.starts_with('<') && !words.starts_with("<<")) {
      const std::size_t end = words.find('>');
      keys.push_back(named_key(words.substr(1, end - 1)));
      words.remove_prefix(end + 1);
      continue;
    }
    keys.push_back({Key::Kind::text, std::string(words.substr(0, 1))});
    words.remove_prefix(words.starts_with("<<") ? 2 : 1);
  }
  return keys;
}

Effect type(State& state, std::string_view words) {
  Effect last;
  for (const Key& key : keys_of(words)) {
    Effect effect = press(state, key);
    if (effect.kind != Effect::Kind::none) last = std::move(effect);
    supply_findings(state);
    supply_extras(state);
    settle_scroll(state);
  }
  return last;
}

}  // namespace fathom::tui
