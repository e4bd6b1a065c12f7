#include "storage/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include "io/file.h"
#include "storage/hash.h"

namespace comback {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kHeaderFile = "run.json";
constexpr const char* kLockFile = "lock";
constexpr const char* kChecksum = "xxh3";  // over the other members
constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kMostModelBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMostLockBytes = 4096;

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

Error bad_header(const fs::path& path, std::string_view what) {
  return {Errc::kCorruption, fmt::format("{}: {}", (path / kHeaderFile).string(), what)};
}

std::string text_member(const Json& json, const char* name) {
  const auto it = json.find(name);
  return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// Text may be laid out anew; a changed invariant would give answers to another question.
std::string checksum(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("{:016x}", hash_bytes(bytes_of(text).data(), text.size()));
}

Result<RunHeader> parse_header(const fs::path& path, const std::string& text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return bad_header(path, "is not a JSON object");
  const auto format = json.find("format");
  if (format == json.end() || !format->is_number_unsigned()) {
    return bad_header(path, "has no format number: it is not a run of comback's");
  }
  RunHeader header;
  header.format = format->get<std::uint64_t>();
  header.comback_version = text_member(json, "comback");
  if (header.format > RunHeader::kFormat) {
    return Error{
        Errc::kUnsupported,
        fmt::format("{} has format {}, written by comback {}; this comback reads formats "
                    "up to {}: use that version or a later one",
                    path.string(), header.format, header.comback_version, RunHeader::kFormat)};
  }
  if (header.format == 0) return bad_header(path, "has format 0, which there is not");
  const std::string sum = text_member(json, kChecksum);
  json.erase(kChecksum);
  if (sum != checksum(json)) {
    return bad_header(path, "is damaged or was changed: its checksum is another");
  }
  header.created = text_member(json, "created");
  header.model = text_member(json, "model");
  header.model_path = text_member(json, "model_path");
  if (header.model.empty()) return bad_header(path, "does not name its model");
  const std::string hash = text_member(json, "model_xxh3");
  const auto [end, error] =
      std::from_chars(hash.data(), hash.data() + hash.size(), header.model_hash, 16);
  if (hash.size() != 16 || error != std::errc() || end != hash.data() + hash.size()) {
    return bad_header(path, "\"model_xxh3\" is not a hash of 16 hexadecimal digits");
  }
  const auto options = json.find("options");
  if (options == json.end() || !options->is_object()) {
    return bad_header(path, "\"options\" is not an object");
  }
  for (const auto& [name, values] : options->items()) {
    if (!values.is_array()) {
      return bad_header(path, fmt::format("option \"{}\" is not an array of strings", name));
    }
    std::vector<std::string>& to = header.options[name];
    for (const Json& value : values) {
      if (!value.is_string()) {
        return bad_header(path, fmt::format("option \"{}\" is not an array of strings", name));
      }
      to.push_back(value.get<std::string>());
    }
  }
  return header;
}

std::string header_text(const RunHeader& header) {
  Json json;
  json["format"] = header.format;
  json["comback"] = header.comback_version;
  json["created"] = header.created;
  json["model"] = header.model;
  json["model_path"] = header.model_path;
  json["model_xxh3"] = fmt::format("{:016x}", header.model_hash);
  json["options"] = Json::object();
  for (const auto& [name, values] : header.options) json["options"][name] = values;
  // The hash is over what a reader gets, which is UTF-8 whatever the options were.
  const auto text = [&] { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; };
  const std::string sum = checksum(Json::parse(text()));
  json[kChecksum] = sum;
  return text();
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

LockHolder parse_holder(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  LockHolder holder;
  if (!json.is_object()) return holder;
  if (const auto pid = json.find("pid"); pid != json.end() && pid->is_number_integer()) {
    holder.pid = pid->get<std::int64_t>();
  }
  holder.host = text_member(json, "host");
  holder.since = text_member(json, "since");
  return holder;
}

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

std::string time_in_words() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

Result<std::string> read_text_file(const fs::path& path, std::uint64_t most_bytes) {
  const Result<File> file = File::open(path);
  if (!file) return file.error();
  if (file->end() > most_bytes) {
    return Error{Errc::kCorruption, fmt::format("{} has {} bytes, more than the {} that it may",
                                                path.string(), file->end(), most_bytes)};
  }
  std::string text(file->end(), '\0');
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(text.data()), text.size());
  if (Status read = file->read_at(0, bytes); !read) return read.error();
  return text;
}

Status write_text_file(const fs::path& path, std::string_view text) {
  fs::path temporary = path;
  temporary += ".new";
  {
    Result<File> file = File::create(temporary);
    if (!file) return file.error();
    if (Status written = file->append(bytes_of(text)); !written) return written;
    if (Status synced = file->sync(); !synced) return synced;
  }
  return rename_and_sync(temporary, path);
}

const std::string* RunHeader::option(const std::string& name) const {
  const auto it = options.find(name);
  return it == options.end() || it->second.empty() ? nullptr : &it->second.front();
}

// --- the lock ---

std::string LockHolder::in_words() const {
  return fmt::format("process {} on {}{}", pid == 0 ? "?" : std::to_string(pid),
                     host.empty() ? "?" : host, since.empty() ? "" : ", since " + since);
}

// A lock of the open file, not of the process: threads and forks of others cannot lose it.
Result<RunLock> RunLock::take(const fs::path& run_dir) {
  const std::string path = (run_dir / kLockFile).string();
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return system_error("open", path, errno);
  RunLock lock(fd);
  struct flock wanted = whole_file();
  if (::fcntl(fd, F_OFD_SETLK, &wanted) != 0) {
    if (errno != EAGAIN && errno != EACCES) return system_error("lock", path, errno);
    LockHolder holder;
    if (const auto text = read_text_file(path, kMostLockBytes)) holder = parse_holder(*text);
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} is being explored by {}", run_dir.string(), holder.in_words())};
  }
  // Who it is helps people, nothing depends on it.
  const std::string text = Json{{"pid", static_cast<std::int64_t>(::getpid())},
                                {"host", host_name()},
                                {"since", time_in_words()}}
                               .dump(-1, ' ', false, Json::error_handler_t::replace) +
                           "\n";
  if (::ftruncate(fd, 0) == 0) {
    [[maybe_unused]] const ssize_t ignored = ::pwrite(fd, text.data(), text.size(), 0);
  }
  return lock;
}

std::optional<LockHolder> RunLock::holder(const fs::path& run_dir) {
  const fs::path path = run_dir / kLockFile;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct flock found = whole_file();
  const bool held = ::fcntl(fd, F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
  ::close(fd);
  if (!held) return std::nullopt;
  const auto text = read_text_file(path, kMostLockBytes);
  return text ? parse_holder(*text) : LockHolder{};
}

RunLock::~RunLock() {
  if (fd_ >= 0) ::close(fd_);
}

// --- the directory ---

Result<std::uint64_t> bytes_below(const fs::path& directory) {
  std::uint64_t sum = 0;
  std::error_code error;
  fs::recursive_directory_iterator it(directory, error);
  while (!error && it != fs::recursive_directory_iterator()) {
    std::error_code gone;
    const std::uint64_t bytes = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) sum += bytes;
    it.increment(error);
    if (error == std::errc::no_such_file_or_directory) error.clear();
  }
  if (error) return system_error("list directory", directory.string(), error.value());
  return sum;
}

bool RunDirectory::holds_run(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / kHeaderFile, ignored) || fs::exists(path / "db", ignored);
}

Result<RunDirectory> RunDirectory::open(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return Error{Errc::kNotFound, fmt::format("there is no run {}", path.string())};
  }
  if (!fs::is_directory(path, ignored)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} is not a directory, so it is not a run", path.string())};
  }
  const auto text = read_text_file(path / kHeaderFile, kMostHeaderBytes);
  if (!text) {
    if (text.error().code != Errc::kNotFound) return text.error();
    return Error{Errc::kNotFound,
                 fmt::format("{} is not a run: it has no {}", path.string(), kHeaderFile)};
  }
  auto header = parse_header(path, *text);
  if (!header) return header.error();
  RunDirectory directory(path);
  directory.header_ = std::move(*header);
  return directory;
}

Result<RunDirectory> RunDirectory::create(const fs::path& path, RunHeader header,
                                          std::string_view model_source) {
  std::error_code error;
  if (holds_run(path)) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{} holds a run already: go on with it by 'comback resume {}', or name "
                    "another directory",
                    path.string(), path.string())};
  }
  if (fs::exists(path, error) && !fs::is_empty(path, error)) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{} is not empty: name a directory that does not exist yet", path.string())};
  }
  if (Status made = make_directories(path); !made) return made.error();
  RunDirectory directory(path);
  header.format = RunHeader::kFormat;
  header.created = time_in_words();
  header.model_hash = hash_bytes(bytes_of(model_source).data(), model_source.size());
  if (Status s = write_text_file(directory.model(), model_source); !s) return s.error();
  if (Status s = directory.write_header(std::move(header)); !s) return s.error();
  const fs::path parent = fs::absolute(path, error).lexically_normal().parent_path();
  if (Status synced = sync_directory(parent); !synced) return synced.error();
  return directory;
}

Status RunDirectory::write_header(RunHeader header) {
  if (Status s = write_text_file(path_ / kHeaderFile, header_text(header)); !s) return s;
  header_ = std::move(header);
  return Done{};
}

Result<std::string> RunDirectory::model_source() const {
  auto text = read_text_file(model(), kMostModelBytes);
  if (!text) return text.error();
  if (hash_bytes(bytes_of(*text).data(), text->size()) != header_.model_hash) {
    return Error{Errc::kCorruption,
                 fmt::format("{} is not the model that the run was made with: its hash is not the "
                             "one in {}",
                             model().string(), (path_ / kHeaderFile).string())};
  }
  return text;
}

}  // namespace comback
