#include "models/dve/native.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <utility>

#include "models/dve/code_cache.h"
#include "models/dve/generator.h"

namespace comback::dve {
namespace {

namespace fs = std::filesystem;

class Library {
 public:
  explicit Library(const fs::path& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Library& operator=(Library&&) = delete;

  const CodeTable* table() const {
    if (handle_ == nullptr) return nullptr;
    return static_cast<const CodeTable*>(dlsym(handle_, std::string(kCodeSymbol).c_str()));
  }

 private:
  void* handle_;
};

class NativeExecutor final : public Executor {
 public:
  NativeExecutor(Library library, const CodeTable& table)
      : library_(std::move(library)), table_(table) {}

  void successors(const std::byte* state, SuccessorBuffer::View& out) const override {
    table_.successors(reinterpret_cast<const unsigned char*>(state), &out);
  }
  void execute(std::byte* state, Event event) const override {
    table_.execute(reinterpret_cast<unsigned char*>(state), event);
  }
  int failed_assertion(const std::byte* state) const override {
    return table_.failed_assertion(reinterpret_cast<const unsigned char*>(state));
  }

 private:
  Library library_;
  CodeTable table_;
};

using ExecutorOrError = std::variant<std::unique_ptr<const Executor>, std::string>;

ExecutorOrError load(const fs::path& path, std::size_t width) {
  Library library(path);
  const CodeTable* table = library.table();
  if (table == nullptr) {
    const char* why = dlerror();
    return fmt::format("{} cannot be loaded: {}", path.string(), why == nullptr ? "no table" : why);
  }
  if (table->abi != kCodeAbi || table->width != width) {
    return path.string() + " is not the code that was asked for";
  }
  const CodeTable copy = *table;
  return std::make_unique<NativeExecutor>(std::move(library), copy);
}

// What it takes to have native code for one program; needs neither the program nor the options.
struct Order {
  std::string source;
  std::string key;
  std::size_t width = 0;
  Compiler compiler;
  std::vector<std::string> flags;
  std::optional<CodeCache> cache;
  std::string no_cache;  // why there is none
  std::function<void(std::string_view)> status;

  void tell(std::string_view text) const {
    if (status) status(text);
  }
};

std::variant<Order, std::string> make_order(const Program& program, const Options& options) {
  auto compiler = find_compiler(options.compiler);
  if (auto* error = std::get_if<std::string>(&compiler)) return std::move(*error);
  Order order;
  order.source = generate_source(program, options.range_errors);
  order.width = program.width;
  order.compiler = std::get<Compiler>(std::move(compiler));
  order.flags = library_flags(order.compiler, order.source.size());
  order.status = options.status;
  std::string made_by = order.compiler.identity + "\n" + processor_identity();
  for (const std::string& flag : order.flags) made_by += " " + flag;
  order.key = CodeCache::key(order.source, made_by);
  auto cache = CodeCache::open(options.cache_dir);
  if (auto* error = std::get_if<std::string>(&cache)) {
    order.no_cache = std::move(*error);
  } else {
    order.cache = std::get<CodeCache>(std::move(cache));
  }
  return order;
}

std::unique_ptr<const Executor> from_cache(const Order& order) {
  if (!order.cache) return nullptr;
  const std::optional<fs::path> path = order.cache->find(order.key);
  if (!path) return nullptr;
  // A library that is whole and still does not load is one that will be compiled again.
  ExecutorOrError loaded = load(*path, order.width);
  auto* executor = std::get_if<0>(&loaded);
  return executor == nullptr ? nullptr : std::move(*executor);
}

// Compiles in a folder of the cache, or without one in a temporary folder.
ExecutorOrError compile(const Order& order, Compilation& compilation) {
  std::error_code error;
  const fs::path parent = order.cache ? order.cache->directory() : fs::temp_directory_path(error);
  if (error) return "there is no temporary directory: " + error.message();
  auto created = Workspace::create(parent);
  if (auto* text = std::get_if<std::string>(&created)) return std::move(*text);
  const Workspace& workspace = std::get<Workspace>(created);
  std::ofstream file(workspace.path() / "code.cpp", std::ios::binary);
  file << order.source;
  file.close();
  if (!file) return workspace.path().string() + " cannot be written: is the disk full?";
  const Compilation::Outcome outcome =
      compilation.run(order.compiler, order.flags, workspace.path());
  if (!outcome.ok) return outcome.text;
  fs::path library = workspace.path() / "code.so";
  if (order.cache) {
    auto added = order.cache->add(order.key, library);
    if (auto* text = std::get_if<std::string>(&added)) return std::move(*text);
    library = std::get<fs::path>(added);
  }
  ExecutorOrError loaded = load(library, order.width);
  if (std::holds_alternative<std::string>(loaded)) fs::remove(library, error);
  return loaded;
}

constexpr const char* kHint =
    "install a C++ compiler (on Debian: apt install g++) or name one with $COMBACK_CXX; "
    "COMBACK_CACHE_DIR names another directory for native code; --successors interpreted needs "
    "neither";

std::string interpreted_because(const std::string& why) {
  return "no native code, the model is interpreted: " + why;
}

std::string seconds_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return fmt::format("{:.1f} s", time.count());
}

}  // namespace

std::variant<std::unique_ptr<const Executor>, Diagnostics> native_executor(const Program& program,
                                                                           const Options& options) {
  const auto failed = [&](const std::string& why) {
    return Diagnostics{
        Diagnostic{.file = program.file, .message = "no native code: " + why, .hint = kHint}};
  };
  auto made = make_order(program, options);
  if (auto* error = std::get_if<std::string>(&made)) return failed(*error);
  const Order& order = std::get<Order>(made);
  if (!order.cache) return failed(order.no_cache);
  if (auto cached = from_cache(order)) return cached;
  order.tell(fmt::format("compiling native code with {}", order.compiler.command.front()));
  const auto start = std::chrono::steady_clock::now();
  Compilation compilation;
  ExecutorOrError compiled = compile(order, compilation);
  if (auto* error = std::get_if<std::string>(&compiled)) return failed(*error);
  order.tell("native code is ready after " + seconds_since(start));
  return std::get<0>(std::move(compiled));
}

NativeCode::NativeCode(const Program& program, const Options& options, Ready ready) {
  auto made = make_order(program, options);
  if (auto* error = std::get_if<std::string>(&made)) {
    if (options.status) options.status(interpreted_because(*error));
    return;
  }
  Order order = std::get<Order>(std::move(made));
  if (auto cached = from_cache(order)) {
    ready(std::move(cached));
    return;
  }
  order.tell(fmt::format("compiling native code with {}", order.compiler.command.front()));
  if (!order.cache) {
    order.tell(order.no_cache + "; native code is compiled in a temporary directory and not kept");
  }
  thread_ = std::thread([this, order = std::move(order), ready = std::move(ready)] {
    const auto start = std::chrono::steady_clock::now();
    ExecutorOrError compiled = compile(order, compilation_);
    if (compilation_.stopped()) return;
    if (auto* error = std::get_if<std::string>(&compiled)) {
      return order.tell(interpreted_because(*error));
    }
    ready(std::get<0>(std::move(compiled)));
    order.tell("native code is ready after " + seconds_since(start));
  });
}

NativeCode::~NativeCode() {
  compilation_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace comback::dve
