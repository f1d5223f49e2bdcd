// SPDX-License-Identifier: Apache-2.0
// Start and end, machine, topology, memory, errors, time.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/qmp/program_support.hpp"
#include "tests/qmp/programs.hpp"

namespace ht::qmp::tests {
namespace {

void before_and_after() {
  MUST(QMP_is_initialized() == QMP_FALSE);
  MUST(QMP_barrier() == QMP_NOT_INITED);
  MUST(QMP_get_error_number(nullptr) == QMP_NOT_INITED);
  MUST(QMP_allocate_memory(8) == nullptr);
  {
    const Session session;
    MUST(QMP_is_initialized() == QMP_TRUE);
    MUST(QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, nullptr) == QMP_INVALID_OP);
    MUST(QMP_barrier() == QMP_SUCCESS);
  }
  MUST(QMP_is_initialized() == QMP_FALSE);
  MUST(QMP_barrier() == QMP_NOT_INITED);
}

/// QMP_init_msg_passing() with these arguments, of which `left` remain.
QMP_status_t start(std::vector<std::string> strings, int left) {
  std::vector<char*> argv;
  for (std::string& s : strings) argv.push_back(s.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(strings.size());
  char** list = argv.data();
  const QMP_status_t status = QMP_init_msg_passing(&argc, &list, QMP_THREAD_SINGLE, nullptr);
  MUST(argc == left);
  MUST(std::strcmp(list[0], "program") == 0);
  MUST(left < 2 || std::strcmp(list[1], "-x") == 0);
  MUST(list[left] == nullptr);
  return status;
}

void arguments() {
  MUST(start({"program", "-qmp-job", "1", "-x", "-qmp-logic-map", "0"}, 2) == QMP_SUCCESS);
  QMP_finalize_msg_passing();
}

/// As published: no geometry of jobs is known unless -qmp-job divides the axes.
void job_geometry() {
  MUST(start({"program"}, 1) == QMP_SUCCESS);
  MUST(QMP_get_job_geometry() == nullptr);
  MUST(QMP_get_number_of_job_geometry_dimensions() == 0);
  const int axes = QMP_get_allocated_number_of_dimensions();
  const std::vector<int> shape(QMP_get_allocated_dimensions(),
                               QMP_get_allocated_dimensions() + axes);
  QMP_finalize_msg_passing();

  std::vector<std::string> divided{"program", "-qmp-job"};
  divided.insert(divided.end(), shape.size(), "1");
  MUST(start(divided, 1) == QMP_SUCCESS);
  MUST(QMP_get_number_of_job_geometry_dimensions() == axes);
  MUST(std::equal(shape.begin(), shape.end(), QMP_get_job_geometry()));
  QMP_finalize_msg_passing();

  // Without -qmp-job again, and with as many numbers as no machine has axes.
  MUST(start({"program"}, 1) == QMP_SUCCESS);
  MUST(QMP_get_job_geometry() == nullptr);
  QMP_finalize_msg_passing();
  divided.insert(divided.end(), 7, "1");
  MUST(start(divided, 1) == QMP_INVALID_TOPOLOGY);
  divided.back() = "2";
  MUST(start(divided, 1) == QMP_NOTSUPPORTED);
}

/// The communicator's topology is these dimensions, with this node there.
void check_laid(QMP_comm_t comm, const std::vector<int>& dimensions,
                const std::vector<int>& there) {
  MUST(QMP_comm_get_logical_number_of_dimensions(comm) == static_cast<int>(dimensions.size()));
  MUST(std::equal(dimensions.begin(), dimensions.end(), QMP_comm_get_logical_dimensions(comm)));
  std::vector<int> found(there.size(), -1);
  QMP_comm_get_logical_coordinates_from2(comm, found.data(), QMP_comm_get_node_number(comm));
  MUST(found == there);
  MUST(QMP_comm_get_node_number_from(comm, there.data()) == QMP_comm_get_node_number(comm));
}

/// -qmp-geom is the machine, written with or without its axes of length one.
void geometry() {
  MUST(start({"program", "-qmp-geom", "native"}, 1) == QMP_SUCCESS);
  const int axes = QMP_get_allocated_number_of_dimensions();
  const std::vector<int> shape(QMP_get_allocated_dimensions(),
                               QMP_get_allocated_dimensions() + axes);
  const std::vector<int> here(QMP_get_allocated_coordinates(),
                              QMP_get_allocated_coordinates() + axes);
  check_laid(QMP_comm_get_allocated(), shape, here);
  MUST(QMP_comm_logical_topology_is_declared(QMP_comm_get_job()) == QMP_FALSE);
  MUST(QMP_logical_topology_is_declared() == QMP_FALSE);
  QMP_finalize_msg_passing();
  for (int one = 0; one <= axes; ++one) {  // where the axis of length one is put
    std::vector<std::string> strings{"program", "-qmp-geom"};
    std::vector<int> longer = shape, there = here;
    longer.insert(longer.begin() + one, 1);
    there.insert(there.begin() + one, 0);
    for (const int length : longer) strings.push_back(std::to_string(length));
    strings.insert(strings.end(), {"-qmp-job"});
    strings.insert(strings.end(), longer.size(), "1");
    MUST(start(strings, 1) == QMP_SUCCESS);
    MUST(QMP_get_allocated_number_of_dimensions() == axes + 1);
    MUST(std::equal(longer.begin(), longer.end(), QMP_get_allocated_dimensions()));
    MUST(std::equal(there.begin(), there.end(), QMP_get_allocated_coordinates()));
    MUST(std::equal(longer.begin(), longer.end(), QMP_get_job_geometry()));
    check_laid(QMP_comm_get_allocated(), longer, there);
    check_laid(QMP_comm_get_job(), longer, there);
    MUST(QMP_logical_topology_is_declared() == QMP_FALSE);
    QMP_finalize_msg_passing();
  }
  std::vector<std::string> wrong{"program", "-qmp-geom"};
  for (const int length : shape) wrong.push_back(std::to_string(length + 1));
  MUST(start(wrong, 1) == QMP_INVALID_TOPOLOGY);
  MUST(QMP_is_initialized() == QMP_FALSE);
  wrong.push_back("3");
  MUST(start(wrong, 1) == QMP_INVALID_TOPOLOGY);
  if (std::ranges::any_of(shape, [](int length) { return length > 1; }))
    MUST(start({"program", "-qmp-geom", "1"}, 1) == QMP_INVALID_TOPOLOGY);
}

void the_machine() {
  const Session session;
  const int axes = QMP_get_allocated_number_of_dimensions();
  MUST(axes >= 1);
  int nodes = 1, number = 0;
  for (int a = axes; a-- > 0;) {
    const int length = QMP_get_allocated_dimensions()[a];
    const int here = QMP_get_allocated_coordinates()[a];
    MUST(here >= 0 && here < length);
    nodes *= length;
    number = number * length + here;
  }
  MUST(QMP_get_number_of_nodes() == nodes);
  MUST(QMP_get_node_number() == number);
  MUST((QMP_is_primary_node() == QMP_TRUE) == (number == 0));
  MUST(QMP_master_io_node() == 0);
  MUST(QMP_io_node(number) == number);
  MUST(QMP_get_msg_passing_type() == QMP_MESH);
  MUST(QMP_get_number_of_jobs() == 1 && QMP_get_job_number() == 0);
  // Every number exists once.
  std::vector<float> seen(static_cast<std::size_t>(nodes), 0.0F);
  seen[static_cast<std::size_t>(QMP_get_node_number())] = 1;
  MUST(QMP_sum_float_array(seen.data(), nodes) == QMP_SUCCESS);
  MUST(std::all_of(seen.begin(), seen.end(), [](float x) { return x == 1; }));
}

void topology() {
  const Session session;
  MUST(QMP_logical_topology_is_declared() == QMP_FALSE);
  MUST(QMP_get_logical_number_of_dimensions() == 0);
  MUST(QMP_get_logical_dimensions() == nullptr);
  const int nodes = QMP_get_number_of_nodes();
  const int wrong[] = {nodes + 1};
  MUST(QMP_declare_logical_topology(wrong, 1) == QMP_INVALID_ARG);
  const int negative[] = {-1, -nodes};
  MUST(QMP_declare_logical_topology(negative, 2) == QMP_INVALID_ARG);
  MUST(QMP_get_error_number(nullptr) == QMP_INVALID_ARG);
  MUST(QMP_logical_topology_is_declared() == QMP_FALSE);

  const std::vector<int> dims = declare_native_topology();
  MUST(QMP_logical_topology_is_declared() == QMP_TRUE);
  MUST(QMP_declare_logical_topology(dims.data(), static_cast<int>(dims.size())) ==
       QMP_TOPOLOGY_EXISTS);
  const int axes = static_cast<int>(dims.size());
  MUST(QMP_get_logical_number_of_dimensions() == axes);
  MUST(QMP_get_node_number_from(QMP_get_logical_coordinates()) == QMP_get_node_number());
  std::set<std::vector<int>> places;
  for (int node = 0; node < nodes; ++node) {
    int* c = QMP_get_logical_coordinates_from(node);
    std::vector<int> again(dims.size(), -1);
    QMP_get_logical_coordinates_from2(again.data(), node);
    MUST(std::equal(again.begin(), again.end(), c));
    for (int a = 0; a < axes; ++a) {
      MUST(c[a] >= 0 && c[a] < QMP_get_logical_dimensions()[a]);
    }
    MUST(QMP_get_node_number_from(c) == node);
    places.insert(again);
    std::free(c);
  }
  MUST(static_cast<int>(places.size()) == nodes);
  std::vector<int> outside(dims.size(), 0);
  outside.back() = dims.back();
  MUST(QMP_get_node_number_from(outside.data()) == -1);
  MUST(QMP_get_logical_coordinates_from(nodes) == nullptr);
}

/// Sends this node's number both ways along every logical axis and compares with the topology.
void check_neighbours() {
  for (int axis = 0; axis < QMP_get_logical_number_of_dimensions(); ++axis) {
    for (const int dir : {1, -1}) {
      int out = QMP_get_node_number(), in = -1;
      QMP_msgmem_t mo = QMP_declare_msgmem(&out, sizeof out);
      QMP_msgmem_t mi = QMP_declare_msgmem(&in, sizeof in);
      QMP_msghandle_t s = QMP_declare_send_relative(mo, axis, dir, 0);
      QMP_msghandle_t r = QMP_declare_receive_relative(mi, axis, -dir, 0);
      MUST(QMP_start(r) == QMP_SUCCESS && QMP_start(s) == QMP_SUCCESS);
      MUST(QMP_wait(s) == QMP_SUCCESS && QMP_wait(r) == QMP_SUCCESS);
      MUST(in == neighbour(axis, -dir));
      QMP_free_msghandle(s);
      QMP_free_msghandle(r);
      QMP_free_msgmem(mo);
      QMP_free_msgmem(mi);
    }
  }
}

void topology_with_axes_exchanged() {
  const Session session;
  const int axes = QMP_get_allocated_number_of_dimensions();
  const int* lengths = QMP_get_allocated_dimensions();
  // Backwards, without the axes of length 1, and with one of our own.
  std::vector<int> dims;
  for (int a = axes; a-- > 0;) {
    if (lengths[a] > 1) dims.push_back(lengths[a]);
  }
  dims.insert(dims.begin() + static_cast<int>(dims.size() / 2), 1);
  MUST(QMP_declare_logical_topology(dims.data(), static_cast<int>(dims.size())) == QMP_SUCCESS);
  check_neighbours();
}

void topology_with_a_map() {
  const Session session;
  const int axes = QMP_get_allocated_number_of_dimensions();
  const int* lengths = QMP_get_allocated_dimensions();
  std::vector<int> dims(lengths, lengths + axes), map;
  std::reverse(dims.begin(), dims.end());
  for (int a = axes; a-- > 0;) map.push_back(a);
  const std::vector<int> twice(map.size(), 0);
  if (axes > 1) {
    MUST(QMP_declare_logical_topology_map(dims.data(), axes, twice.data(), axes) ==
         QMP_INVALID_ARG);
  }
  MUST(QMP_declare_logical_topology_map(dims.data(), axes, map.data(), axes) == QMP_SUCCESS);
  // map lists the logical axes, fastest first: logical axis map[i] is the machine's axis i.
  for (int i = 0; i < axes; ++i) {
    MUST(QMP_get_logical_coordinates()[map[static_cast<std::size_t>(i)]] ==
         QMP_get_allocated_coordinates()[i]);
  }
  check_neighbours();
}

void topology_that_does_not_fit() {
  const Session session;
  const int nodes = QMP_get_number_of_nodes();
  const int axes = QMP_get_allocated_number_of_dimensions();
  const int* lengths = QMP_get_allocated_dimensions();
  const auto longer = std::count_if(lengths, lengths + axes, [](int n) { return n > 1; });
  if (longer < 2) return;
  // A ring of all nodes is not one of the machine's axes: its messages go by number, or not at all.
  const QMP_status_t status = QMP_declare_logical_topology(&nodes, 1);
  MUST(status == QMP_SUCCESS || status == QMP_INVALID_TOPOLOGY);
  MUST(QMP_logical_topology_is_declared() == (status == QMP_SUCCESS ? QMP_TRUE : QMP_FALSE));
}

void lattice_layout() {
  const Session session;
  const int axes = QMP_get_allocated_number_of_dimensions();
  const int* lengths = QMP_get_allocated_dimensions();
  std::vector<int> lattice;
  int sites = 1;
  for (int a = 0; a < axes; ++a) {
    lattice.push_back(lengths[a] * (a + 1));
    sites *= lattice.back();
  }
  lattice.push_back(3);
  sites *= 3;
  MUST(QMP_layout_grid(lattice.data(), axes + 1) == QMP_SUCCESS);
  MUST(QMP_get_number_of_subgrid_sites() * QMP_get_number_of_nodes() == sites);
  for (int a = 0; a <= axes; ++a) {
    const auto i = static_cast<std::size_t>(a);
    MUST(QMP_get_subgrid_dimensions()[a] * QMP_get_logical_dimensions()[a] == lattice[i]);
  }
  check_neighbours();
}

void memory() {
  const Session session;
  std::vector<QMP_mem_t*> all;
  for (const std::size_t alignment : {0, 1, 64, 128, 4096}) {
    QMP_mem_t* mem = QMP_allocate_aligned_memory(1000, alignment, QMP_MEM_COMMS);
    MUST(mem != nullptr);
    auto* p = static_cast<char*>(QMP_get_memory_pointer(mem));
    if (alignment > 0) MUST(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
    std::memset(p, static_cast<int>(all.size()), 1000);
    all.push_back(mem);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* p = static_cast<const char*>(QMP_get_memory_pointer(all[i]));
    MUST(std::all_of(p, p + 1000, [&](char c) { return c == static_cast<char>(i); }));
    QMP_free_memory(all[i]);
  }
  QMP_free_memory(nullptr);
  QMP_mem_t* standard = QMP_allocate_memory(1);
  MUST(reinterpret_cast<std::uintptr_t>(QMP_get_memory_pointer(standard)) % QMP_ALIGN_DEFAULT == 0);
  MUST(QMP_allocate_aligned_memory(8, 3, 0) == nullptr);
  MUST(QMP_get_error_number(nullptr) == QMP_INVALID_ARG);
  MUST(QMP_allocate_memory(std::size_t{1} << 60) == nullptr);
  MUST(QMP_get_error_number(nullptr) == QMP_NOMEM_ERR);
  // The rest is QMP's to give back.
}

void error_texts() {
  const Session session;
  std::set<std::string> texts{QMP_error_string(QMP_SUCCESS)};
  for (int code = QMP_ERROR; code < QMP_MAX_STATUS; ++code) {
    texts.insert(QMP_error_string(static_cast<QMP_status_t>(code)));
  }
  MUST(texts.size() == static_cast<std::size_t>(QMP_MAX_STATUS - QMP_ERROR + 1));
  MUST(QMP_error_string(QMP_MAX_STATUS) != nullptr);
  MUST(QMP_get_hidden_comm(QMP_comm_get_default(), nullptr) == QMP_NOTSUPPORTED);
  MUST(std::string(QMP_get_error_string(nullptr)) == QMP_error_string(QMP_NOTSUPPORTED));
  MUST(QMP_verbose(0) == 0);
}

void communicators() {
  const Session session;
  const int nodes = QMP_get_number_of_nodes(), here = QMP_get_node_number();
  // The same nodes, each with its own topology.
  MUST(QMP_comm_get_allocated() != QMP_comm_get_default());
  MUST(QMP_comm_get_job() != QMP_comm_get_default());
  MUST(QMP_comm_get_number_of_nodes(QMP_comm_get_allocated()) == nodes);
  MUST(QMP_comm_get_node_number(QMP_comm_get_allocated()) == here);
  QMP_comm_t copy = nullptr, single = nullptr;
  MUST(QMP_comm_split(QMP_comm_get_default(), 7, here, &copy) == QMP_SUCCESS);
  MUST(QMP_comm_get_number_of_nodes(copy) == nodes && QMP_comm_get_node_number(copy) == here);
  MUST(QMP_comm_get_color(copy) == 7 && QMP_comm_get_key(copy) == here);
  MUST(QMP_comm_get_number_of_colors(copy) == 1);
  int sum = 1;
  MUST(QMP_comm_sum_int(copy, &sum) == QMP_SUCCESS && sum == nodes);

  MUST(QMP_comm_split(copy, here, 0, &single) == QMP_SUCCESS);
  MUST(QMP_comm_get_number_of_nodes(single) == 1 && QMP_comm_get_node_number(single) == 0);
  MUST(QMP_comm_get_number_of_colors(single) == nodes);
  sum = here;
  MUST(QMP_comm_sum_int(single, &sum) == QMP_SUCCESS && sum == here);
  MUST(QMP_comm_barrier(single) == QMP_SUCCESS);

  if (nodes > 2) {
    QMP_comm_t half = nullptr;
    const QMP_status_t status = QMP_comm_split(copy, here % 2, 0, &half);
    MUST(status == QMP_SUCCESS || status == QMP_NOTSUPPORTED);  // on machines that do not route
    if (status == QMP_SUCCESS) MUST(QMP_comm_free(half) == QMP_SUCCESS);
  }
  // A topology of its own.
  const int one[] = {1, 1};
  MUST(QMP_comm_declare_logical_topology(single, one, 2) == QMP_SUCCESS);
  MUST(QMP_logical_topology_is_declared() == QMP_FALSE);
  MUST(QMP_comm_get_logical_coordinates(single)[1] == 0);
  MUST(QMP_comm_set_default(copy) == QMP_SUCCESS && QMP_comm_get_default() == copy);
  MUST(QMP_comm_free(copy) == QMP_INVALID_OP);
  MUST(QMP_comm_set_default(QMP_comm_get_allocated()) == QMP_SUCCESS);
  MUST(QMP_comm_free(copy) == QMP_SUCCESS);
  MUST(QMP_comm_barrier(copy) == QMP_INVALID_ARG);
}

void time() {
  const Session session;
  const double start = QMP_time();
  for (int i = 0; i < 10; ++i) MUST(QMP_barrier() == QMP_SUCCESS);
  const double end = QMP_time();
  MUST(end > start);
  // A program that waits for the clock gets there.
  while (QMP_time() < end + 1e-6) {
  }
  if (QMP_get_number_of_nodes() > 1) {
    MUST(QMP_get_total_qmp_time() > 0 && QMP_get_total_qmp_time() <= end);
    QMP_reset_total_qmp_time();
    MUST(QMP_get_total_qmp_time() == 0);
  }
}

}  // namespace

void add_machine_programs(std::vector<Conformance>& list) {
  list.insert(list.end(), {{"before and after", before_and_after},
                           {"arguments", arguments},
                           {"geometry of jobs", job_geometry},
                           {"geometry of the machine", geometry},
                           {"the machine", the_machine},
                           {"topology", topology},
                           {"topology with axes exchanged", topology_with_axes_exchanged},
                           {"topology with a map", topology_with_a_map},
                           {"topology that does not fit", topology_that_does_not_fit},
                           {"lattice layout", lattice_layout},
                           {"memory", memory},
                           {"error texts", error_texts},
                           {"communicators", communicators},
                           {"time", time}});
}

}  // namespace ht::qmp::tests
