// How native code comes to a model: compiled once, kept, checked before it is loaded, and done
// without where it cannot be had.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "models/dve/code_cache.h"
#include "models/dve/dve.h"
#include "models/dve/native.h"
#include "tests/support/dve_models.h"
#include "tests/support/temp_dir.h"

namespace comback::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr const char* kCounter = R"(
byte x;
process P { state p, q; init p; trans p -> q { guard x < 5; effect x = x + 1; }, q -> p {}; }
system async;)";

bool eventually(const std::function<bool()>& condition) {
  const auto end = steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory, none)) out.push_back(entry.path());
  return out;
}

// A value of the environment, until the object dies.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Environment() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class NativeCodeTest : public ::testing::Test {
 protected:
  NativeCodeTest() {
    options_.backend = dve::Backend::kNative;
    options_.cache_dir = dir_ / "cache";
    options_.status = [this](std::string_view text) {
      const std::lock_guard lock(mutex_);
      said_ += std::string(text) + "\n";
    };
  }

  // A compiler that notes each start, and does `body` ("$@" are its arguments).
  std::string compiler(const std::string& body) {
    const fs::path script =
        dir_.write("compiler",
                   "#!/bin/sh\necho start >> '" + (dir_ / "starts").string() + "'\n" + body + "\n");
    fs::permissions(script, fs::perms::owner_all);
    return script.string();
  }
  std::size_t starts() const {
    const std::string text = read_file(dir_ / "starts");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::string said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  // The only library of the cache.
  fs::path library() const {
    const auto files = files_in(dir_ / "cache");
    EXPECT_EQ(files.size(), 1u);
    return files.empty() ? fs::path() : files.front();
  }

  static void expect_works(const Model& model) {
    EXPECT_EQ(steps(model, initial_state(model)), std::vector<std::string>{"0: x=1 P=q"});
  }
  void expect_native() {
    const auto model = loaded(dve::load_text("counter.dve", kCounter, options_));
    ASSERT_TRUE(model);
    EXPECT_EQ(model->backend(), "native");
    expect_works(*model);
  }
  Diagnostic expect_refused() {
    dve::LoadResult result = dve::load_text("counter.dve", kCounter, options_);
    const auto* diagnostics = std::get_if<Diagnostics>(&result);
    EXPECT_TRUE(diagnostics != nullptr && diagnostics->size() == 1);
    return diagnostics == nullptr ? Diagnostic{} : diagnostics->front();
  }

  TempDir dir_;
  dve::Options options_;
  std::mutex mutex_;
  std::string said_;
};

constexpr const char* kRealCompiler = "exec c++ \"$@\"";

TEST_F(NativeCodeTest, IsCompiledOnceAndThenTakenFromTheCache) {
  options_.compiler = compiler(kRealCompiler);
  expect_native();
  EXPECT_EQ(starts(), 1u);
  expect_native();
  options_.backend = dve::Backend::kAuto;  // ready before load_text returns
  expect_native();
  EXPECT_EQ(starts(), 1u);
  options_.range_errors = dve::RangeErrors::kErrorState;
  options_.backend = dve::Backend::kNative;
  expect_native();
  EXPECT_EQ(starts(), 2u) << "other code for another rule of range errors";
}

TEST_F(NativeCodeTest, IsPrivateToTheUser) {
  expect_native();
  struct stat info {};
  ASSERT_EQ(stat((dir_ / "cache").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(library().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0077, 0u);
}

TEST_F(NativeCodeTest, IsNotKeptForAnotherCompiler) {
  options_.compiler = compiler(kRealCompiler);
  expect_native();
  options_.compiler = compiler(std::string(kRealCompiler) + " # another version");
  expect_native();
  EXPECT_EQ(starts(), 2u);
}

// A library cut off anywhere, or with a changed byte anywhere, is compiled again and never loaded.
TEST_F(NativeCodeTest, ThatIsDamagedIsCompiledAgain) {
  options_.compiler = compiler(kRealCompiler);
  expect_native();
  const std::string whole = read_file(library());
  ASSERT_GT(whole.size(), 1000u);
  std::vector<std::string> damaged = {"",
                                      "x",
                                      whole.substr(0, whole.size() - 1),
                                      whole + "x",
                                      whole.substr(0, whole.size() / 2),
                                      whole.substr(0, whole.size() - 32)};
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, whole.size() / 2, whole.size() - 25,
                               whole.size() - 20, whole.size() - 10, whole.size() - 1}) {
    damaged.push_back(whole);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x10);
  }
  for (std::size_t i = 0; i < damaged.size(); ++i) {
    SCOPED_TRACE("damage " + std::to_string(i));
    const fs::path file = library();
    std::ofstream(file, std::ios::binary) << damaged[i];
    const std::size_t before = starts();
    expect_native();
    EXPECT_EQ(starts(), before + 1);
    EXPECT_EQ(read_file(library()).size(), whole.size());
  }
}

TEST_F(NativeCodeTest, ThatOthersCouldHaveWrittenIsCompiledAgain) {
  options_.compiler = compiler(kRealCompiler);
  expect_native();
  fs::permissions(library(), fs::perms::group_write, fs::perm_options::add);
  expect_native();
  EXPECT_EQ(starts(), 2u);
}

TEST_F(NativeCodeTest, IsNotLoadedFromADirectoryThatOthersMayWriteTo) {
  fs::create_directory(options_.cache_dir);
  fs::permissions(options_.cache_dir, fs::perms::all);
  const Diagnostic refused = expect_refused();
  EXPECT_NE(refused.message.find("other users may write to it"), std::string::npos)
      << refused.message;
  EXPECT_NE(refused.hint.find("COMBACK_CACHE_DIR"), std::string::npos) << refused.hint;
}

TEST_F(NativeCodeTest, WithoutADirectoryIsRefusedOrCompiledElsewhere) {
  dir_.write("file", "");
  options_.cache_dir = dir_ / "file/cache";
  const Diagnostic refused = expect_refused();
  EXPECT_NE(refused.message.find("file/cache cannot be made"), std::string::npos)
      << refused.message;

  const Environment temporary("TMPDIR", dir_.path().c_str());
  options_.backend = dve::Backend::kAuto;
  const auto model = loaded(dve::load_text("counter.dve", kCounter, options_));
  ASSERT_TRUE(model);
  ASSERT_TRUE(eventually([&] { return model->backend() == "native"; })) << said();
  expect_works(*model);
  EXPECT_NE(said().find("in a temporary directory and not kept"), std::string::npos) << said();
  ASSERT_TRUE(eventually([&] { return files_in(dir_.path()).size() == 1; })) << "only 'file' stays";
}

TEST_F(NativeCodeTest, FindsItsDirectoryInTheEnvironment) {
  options_.cache_dir.clear();
  {
    const Environment own("COMBACK_CACHE_DIR", (dir_ / "own").c_str());
    expect_native();
    EXPECT_EQ(files_in(dir_ / "own").size(), 1u);
  }
  const Environment none("COMBACK_CACHE_DIR", nullptr);
  {
    const Environment xdg("XDG_CACHE_HOME", (dir_ / "xdg").c_str());
    expect_native();
    EXPECT_EQ(files_in(dir_ / "xdg/comback").size(), 1u);
  }
  const Environment no_xdg("XDG_CACHE_HOME", nullptr);
  const Environment home("HOME", dir_.path().c_str());
  expect_native();
  EXPECT_EQ(files_in(dir_ / ".cache/comback").size(), 1u);
}

TEST_F(NativeCodeTest, WithoutACompilerIsRefusedOrDoneWithout) {
  const Environment path("PATH", (dir_ / "empty").c_str());
  const Environment own("COMBACK_CXX", nullptr);
  const Environment cxx("CXX", nullptr);
  const Diagnostic refused = expect_refused();
  EXPECT_EQ(refused.file, "counter.dve");
  EXPECT_NE(refused.message.find("neither c++, g++ nor clang++ is in the PATH"), std::string::npos)
      << refused.message;
  EXPECT_NE(refused.hint.find("--successors interpreted"), std::string::npos) << refused.hint;

  options_.backend = dve::Backend::kAuto;
  const auto model = loaded(dve::load_text("counter.dve", kCounter, options_));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->backend(), "interpreted");
  expect_works(*model);
  EXPECT_NE(said().find("there is no C++ compiler"), std::string::npos) << said();
}

TEST_F(NativeCodeTest, NamesTheCompilerThatCannotBeRun) {
  options_.compiler = "/no/such/g++ -O1";
  EXPECT_NE(expect_refused().message.find("\"/no/such/g++ -O1\", is not a program"),
            std::string::npos);
  options_.compiler.clear();
  const Environment own("COMBACK_CXX", "no-such-compiler");
  EXPECT_NE(expect_refused().message.find("$COMBACK_CXX, \"no-such-compiler\""), std::string::npos);
}

TEST_F(NativeCodeTest, TakesACompilerWithArguments) {
  options_.compiler = compiler("[ \"$1\" = -DX=y ] && exec c++ \"$@\"") + " -DX=y";
  expect_native();
}

TEST_F(NativeCodeTest, TellsWhatAFailingCompilerSaid) {
  options_.compiler = compiler("echo 'code.cpp:1: error: out of ideas' >&2; exit 3");
  const Diagnostic refused = expect_refused();
  EXPECT_NE(refused.message.find("failed with exit code 3"), std::string::npos) << refused.message;
  EXPECT_NE(refused.message.find("out of ideas"), std::string::npos) << refused.message;

  options_.backend = dve::Backend::kAuto;
  const auto model = loaded(dve::load_text("counter.dve", kCounter, options_));
  ASSERT_TRUE(model);
  ASSERT_TRUE(eventually([&] { return said().find("out of ideas") != std::string::npos; }));
  EXPECT_EQ(model->backend(), "interpreted");
  expect_works(*model);
  ASSERT_TRUE(eventually([&] { return files_in(dir_ / "cache").empty(); })) << "nothing is left";
}

TEST_F(NativeCodeTest, IsNotTakenFromACompilerThatMakesSomethingElse) {
  options_.compiler = compiler("touch \"$TMPDIR/code.so\"");
  const Diagnostic refused = expect_refused();
  EXPECT_NE(refused.message.find("cannot be loaded"), std::string::npos) << refused.message;
  EXPECT_TRUE(files_in(dir_ / "cache").empty());
}

TEST_F(NativeCodeTest, TakesOverWhileTheModelIsInUse) {
  options_.backend = dve::Backend::kAuto;
  const fs::path go = dir_ / "go";
  options_.compiler =
      compiler("while [ ! -e '" + go.string() + "' ]; do sleep 0.01; done\n" + kRealCompiler);
  const auto model = loaded(dve::load_text("counter.dve", kCounter, options_));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->backend(), "interpreted");
  expect_works(*model);
  std::atomic<bool> done = false;
  std::vector<std::thread> users;
  for (int i = 0; i < 2; ++i) {
    users.emplace_back([&] {
      while (!done) expect_works(*model);
    });
  }
  dir_.write("go", "");
  EXPECT_TRUE(eventually([&] { return model->backend() == "native"; })) << said();
  done = true;
  for (std::thread& user : users) user.join();
  expect_works(*model);
  EXPECT_TRUE(
      eventually([&] { return said().find("native code is ready after") != std::string::npos; }));
}

// The compiler, what it started and its files are gone when the model is.
TEST_F(NativeCodeTest, EndsItsCompilerWithTheModel) {
  options_.backend = dve::Backend::kAuto;
  options_.compiler = compiler("echo x > \"$TMPDIR/half\"; sleep 600 & echo $! > '" +
                               (dir_ / "pid").string() + "'; wait");
  auto model = loaded(dve::load_text("counter.dve", kCounter, options_));
  ASSERT_TRUE(model);
  ASSERT_TRUE(eventually([&] { return read_file(dir_ / "pid").find('\n') != std::string::npos; }));
  EXPECT_EQ(files_in(dir_ / "cache").size(), 1u) << "where it works";
  model.reset();
  EXPECT_TRUE(files_in(dir_ / "cache").empty());
  const pid_t pid = std::stoi(read_file(dir_ / "pid"));
  // It may still be a zombie: its parent was killed, so that somebody else must reap it.
  EXPECT_TRUE(eventually([&] {
    const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
    return stat.empty() || stat.find(") Z") != std::string::npos;
  }));
  EXPECT_EQ(said().find("no native code"), std::string::npos) << said();
}

TEST_F(NativeCodeTest, MayBeMadeByManyAtOnce) {
  options_.compiler = compiler(kRealCompiler);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([this] { expect_native(); });
  for (std::thread& thread : threads) thread.join();
  expect_native();
  library();
  EXPECT_LE(starts(), 4u);
}

// kill -9 while the compiler writes: no half library is ever under its name, and the remains go
// when they are old.
TEST_F(NativeCodeTest, LeavesNoHalfFileWhenKilled) {
  options_.compiler = compiler("echo half > \"$TMPDIR/code.so\"; sleep 2");
  const pid_t child = fork();
  if (child == 0) {
    dve::load_text("counter.dve", kCounter, options_);
    _exit(0);
  }
  ASSERT_TRUE(eventually([&] {
    const auto files = files_in(dir_ / "cache");
    return !files.empty() && fs::exists(files.front() / "code.so");
  }));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const fs::path remains = library();
  EXPECT_NE(remains.extension(), ".so");
  options_.compiler = compiler(kRealCompiler);
  expect_native();
  EXPECT_TRUE(fs::exists(remains)) << "somebody could still be at it";
  fs::last_write_time(remains, fs::file_time_type::clock::now() - std::chrono::hours(2));
  options_.range_errors = dve::RangeErrors::kErrorState;
  expect_native();
  EXPECT_FALSE(fs::exists(remains));
}

class CodeCacheTest : public ::testing::Test {
 protected:
  dve::CodeCache cache(std::uint64_t limit_bytes) {
    return std::get<dve::CodeCache>(dve::CodeCache::open(dir_ / "cache", limit_bytes));
  }
  void add(const dve::CodeCache& to, const std::string& key) {
    const auto file = dir_.write("cache/new", std::string(1000, key[0]));
    ASSERT_TRUE(std::holds_alternative<fs::path>(to.add(key, file)));
  }
  // What happens in a test happens in the same tick of the clock.
  void age(const std::string& key, int hours) {
    fs::last_write_time(dir_ / ("cache/" + key + ".so"),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  TempDir dir_;
};

TEST_F(CodeCacheTest, RemovesWhatWasNotUsedForLongest) {
  const dve::CodeCache to = cache(3500);
  for (const std::string key : {"a", "b", "c"}) {
    add(to, key);
    age(key, 10);
  }
  age("b", 20);
  EXPECT_TRUE(to.find("a"));
  EXPECT_TRUE(to.find("b"));  // used: now the newest, however old it is
  add(to, "d");
  EXPECT_TRUE(to.find("a"));
  EXPECT_TRUE(to.find("b"));
  EXPECT_FALSE(to.find("c"));
  EXPECT_TRUE(to.find("d"));
}

TEST_F(CodeCacheTest, KeepsTheNewestHoweverLargeItIs) {
  const dve::CodeCache to = cache(10);
  add(to, "a");
  add(to, "b");
  EXPECT_FALSE(to.find("a"));
  EXPECT_TRUE(to.find("b"));
}

TEST_F(CodeCacheTest, DoesNotFollowLinks) {
  const dve::CodeCache to = cache(100'000);
  add(to, "a");
  fs::rename(dir_ / "cache/a.so", dir_ / "elsewhere");
  fs::create_symlink(dir_ / "elsewhere", dir_ / "cache/a.so");
  EXPECT_FALSE(to.find("a"));
}

TEST(CodeCacheKey, DependsOnEverything) {
  const std::string key = dve::CodeCache::key("source", "compiler");
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(key, dve::CodeCache::key("source", "compiler"));
  EXPECT_NE(key, dve::CodeCache::key("source2", "compiler"));
  EXPECT_NE(key, dve::CodeCache::key("source", "compiler2"));
}

}  // namespace
}  // namespace comback::test
