// SPDX-License-Identifier: Apache-2.0
// Suggestions after a slip of the keyboard.
#include "sw/host/nearest.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/scratch_folder.hpp"

using namespace ht::host;

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);  // the textbook's example
  CHECK(edit_distance("ndoes", "nodes") == 1);
  CHECK(edit_distance("NODES", "nodes") == 0);
  CHECK(edit_distance("ring", "torus") == 5);
}

TEST_CASE("the nearest candidate, but nothing far-fetched") {
  const std::vector<std::string> options{"--nodes", "--no-skip", "--network", "--ber", "--bursts"};
  CHECK(nearest("--node", options) == "--nodes");
  CHECK(nearest("-nodes", options) == "--nodes");
  CHECK(nearest("--ndoes", options) == "--nodes");
  CHECK(nearest("--net", options) == "--network");
  CHECK(nearest("--br", options) == "--ber");
  CHECK(nearest("--wallpaper", options).empty());
  CHECK(nearest("--", options).empty());
  CHECK(did_you_mean("--node", options) == "; did you mean --nodes?");
  CHECK(did_you_mean("--wallpaper", options).empty());
}

TEST_CASE("a missing file is looked for among its neighbours") {
  const ht::test::ScratchFolder scratch;
  const std::filesystem::path& folder = scratch.path();
  std::filesystem::create_directory(folder / "fields");
  std::ofstream(folder / "fields" / "quenched.lime") << "x";
  std::ofstream(folder / "fields" / "notes.txt") << "x";
  CHECK(did_you_mean_file(folder / "fields" / "quenhced.lime") ==
        "; did you mean " + (folder / "fields" / "quenched.lime").string() + "?");
  CHECK(did_you_mean_file(folder / "feilds" / "quenched.lime") ==
        "; did you mean " + (folder / "fields").string() + "?");
  CHECK(did_you_mean_file(folder / "elsewhere" / "quenched.lime") ==
        "; there is no " + (folder / "elsewhere").string());
  CHECK(did_you_mean_file(folder / "fields" / "configuration").empty());
}
