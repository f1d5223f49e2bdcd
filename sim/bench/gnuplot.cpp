// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/gnuplot.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

// Gnuplot's single quotes: nothing is special but the quote itself.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string script_of(const GnuplotFigure& f, const std::string& stem) {
  std::string script;
  for (std::size_t i = 0; i < f.curves.size(); ++i) {
    script += fmt::format("$curve{} << END\n", i);
    for (const auto& [x, y] : f.curves[i].points) script += fmt::format("{} {}\n", x, y);
    script += "END\n";
  }
  script += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\nset logscale x {}\n",
                        quoted(f.title), quoted(f.x_label), quoted(f.y_label), f.log_base);
  script += "set grid\nset yrange [0:]\n" + f.more;
  std::string plot = "plot";
  for (std::size_t i = 0; i < f.curves.size(); ++i)
    plot += fmt::format("{} $curve{} with {} title {}", i > 0 ? "," : "", i, f.curves[i].style,
                        quoted(f.curves[i].name));
  const std::pair<const char*, const char*> formats[] = {
      {"svg", "svg size 900,600 font ',14' background 'white'"},
      {"png", "pngcairo size 900,600 font ',11'"}};
  for (const auto& [suffix, terminal] : formats)
    script += fmt::format("set terminal {}\nset output {}\n{}\nset output\n", terminal,
                          quoted(stem + "." + suffix), plot);
  return script;
}

}  // namespace

void require_gnuplot(const std::string& wanted_by) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((std::filesystem::path(folder) / "gnuplot").c_str(), X_OK) == 0) return;
  }
  throw UsageError(
      fmt::format("{}: gnuplot draws the figures and is not on the PATH: install it (Debian: "
                  "gnuplot-nox), or leave {} out",
                  wanted_by, wanted_by));
}

void draw_with_gnuplot(const GnuplotFigure& figure, const std::string& stem) {
  std::FILE* gnuplot = popen("gnuplot", "w");
  if (gnuplot == nullptr) throw DataError("cannot start gnuplot");
  const std::string script = script_of(figure, stem);
  std::fwrite(script.data(), 1, script.size(), gnuplot);
  const int status = pclose(gnuplot);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw DataError(fmt::format("gnuplot could not draw {}.svg and {}.png", stem, stem));
}

}  // namespace ht::cli
