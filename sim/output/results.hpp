// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace ht::cli {

/// What a command found out, as one JSON document that is written when the command has ended,
/// however it ended: whoever reads the file knows the exit code (docs/json.md).
class Results {
 public:
  /// `opened` is called with the name of the file once it is known.
  explicit Results(std::function<void(const std::string& file)> opened = {})
      : opened_(std::move(opened)) {}

  /// From here on there is a document, in the file of that name; "-" is standard output; with an
  /// empty name there is none. Throws DataError if
  /// that could not be written, or is a file with something else in it, as a command's own input.
  void open(const std::string& name);
  /// The command's own keys, to be added to and replaced as more is known.
  nlohmann::ordered_json& document() { return document_; }
  /// Adds `keys`; those that are there already are replaced.
  void add(const nlohmann::ordered_json& keys) { document_.update(keys); }

  /// Writes it, unless nothing was opened: `error` is what was printed about it, or empty. Throws
  /// DataError, as open() does.
  void close(const std::string& command, const std::string& version, int code,
             const std::string& error);

 private:
  std::function<void(const std::string&)> opened_;
  std::string file_;
  nlohmann::ordered_json document_ = nlohmann::ordered_json::object();
};

}  // namespace ht::cli
