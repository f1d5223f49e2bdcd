// SPDX-License-Identifier: Apache-2.0
// VCQs, paths, registered memory. Commands: utofu_commands.cpp.
#include "sw/tofu/utofu/utofu_queues.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

namespace ht::tofu {
namespace {

constexpr std::array<unsigned, 6> shift{32, 40, 48, 56, 57, 59};
constexpr std::array<unsigned, 6> bits{8, 8, 8, 1, 2, 1};
constexpr utofu_vcq_id_t mark = 1U << 31, path_given = 1U << 24;
constexpr utofu_vcq_id_t bits_in_use = 0xefff'ffff'81f7'003f;
constexpr utofu_stadd_t stadd_mark = std::uint64_t{1} << 62;
constexpr std::uint64_t beat = 16;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

Path path_of(std::uint64_t bits) {
  return {static_cast<int>(bits & 1), static_cast<int>(bits >> 1 & 3),
          static_cast<int>(bits >> 3 & 1)};
}

}  // namespace

utofu_vcq_id_t Vcq::id() const {
  std::uint64_t id = mark | static_cast<std::uint64_t>(tni) << 61 |
                     static_cast<std::uint64_t>(component) << 16 |
                     static_cast<std::uint64_t>(queue);
  if (path) id |= path_given | std::uint64_t{path_bits(*path)} << 20;
  for (std::size_t i = 0; i < 6; ++i) id |= static_cast<std::uint64_t>(node.at[i]) << shift[i];
  return id;
}

std::optional<Vcq> Vcq::from(utofu_vcq_id_t id) {
  if ((id & mark) == 0 || (id & ~bits_in_use) != 0) return std::nullopt;
  Vcq v;
  v.tni = static_cast<int>(id >> 61);
  v.component = static_cast<int>(id >> 16 & 7);
  v.queue = static_cast<int>(id & 0x3f);
  if ((id & path_given) != 0) v.path = path_of(id >> 20 & 15);
  for (std::size_t i = 0; i < 6; ++i)
    v.node.at[i] = static_cast<int>(id >> shift[i] & ((1U << bits[i]) - 1));
  return v;
}

utofu_stadd_t to_stadd(const TaggedAddress& address) {
  return stadd_mark | std::uint64_t{address.tag} << 40 | address.offset;
}

std::optional<TaggedAddress> from_stadd(utofu_stadd_t stadd) {
  if (stadd >> 58 != stadd_mark >> 58) return std::nullopt;
  return TaggedAddress{static_cast<std::uint32_t>(stadd >> 40 & (tag_limit - 1)),
                       stadd & (offset_limit - 1)};
}

UtofuQueues::UtofuQueues(UtofuNetwork network) : network_(std::move(network)) {}

// -------------------------------------------------------------------------------------------------
// VCQs. A handle is 1 + 8 interface + queue: never null.

std::optional<UtofuQueues::Found> UtofuQueues::find(utofu_vcq_hdl_t handle) {
  const std::uint64_t n = std::uint64_t{handle} - 1;
  if (handle == 0 || n >= network_.interfaces.size() * queues_per_interface) return std::nullopt;
  Found f;
  f.tni = static_cast<int>(n / queues_per_interface);
  f.number = static_cast<int>(n % queues_per_interface);
  f.interface = network_.interfaces[at(f.tni)];
  f.queue = &queues_[at(f.tni)][at(f.number)];
  if (!f.queue->open) return std::nullopt;
  return f;
}

int UtofuQueues::create(int tni, int component, utofu_vcq_hdl_t& handle) {
  auto& queues = queues_[at(tni)];
  int number = 0;
  while (number < network_.queues && queues[at(number)].open) ++number;
  if (number >= network_.queues) return UTOFU_ERR_FULL;
  network_.interfaces[at(tni)]->open(number);
  queues[at(number)].open = true;
  queues[at(number)].component = component;
  handle = static_cast<utofu_vcq_hdl_t>(1 + queues_per_interface * tni + number);
  return UTOFU_SUCCESS;
}

int UtofuQueues::free(utofu_vcq_hdl_t handle) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  collect(*f);
  if (f->interface->under_way(f->number) != 0) return UTOFU_ERR_BUSY;
  f->interface->close(f->number);
  count_failures(*f->queue, freed_);
  *f->queue = Queue{};
  return UTOFU_SUCCESS;
}

int UtofuQueues::id(utofu_vcq_hdl_t handle, utofu_vcq_id_t& id) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  id = Vcq{network_.here, f->tni, f->number, f->queue->component, {}}.id();
  return UTOFU_SUCCESS;
}

int UtofuQueues::query(utofu_vcq_id_t id, Vcq& vcq) const {
  const auto v = Vcq::from(id);
  if (!v || v->tni >= network_.profile.interfaces || v->queue >= network_.queues ||
      !network_.machine.contains(v->node) || (v->path && !is_path(network_.machine, *v->path)))
    return UTOFU_ERR_INVALID_VCQ_ID;
  vcq = *v;
  return UTOFU_SUCCESS;
}

int UtofuQueues::construct(const Vcq& vcq, utofu_vcq_id_t& id) const {
  if (!network_.machine.contains(vcq.node)) return UTOFU_ERR_INVALID_COORDS;
  if (vcq.tni >= network_.profile.interfaces) return UTOFU_ERR_INVALID_TNI_ID;
  if (vcq.queue >= network_.queues) return UTOFU_ERR_INVALID_CQ_ID;
  if (vcq.component >= static_cast<int>(components)) return UTOFU_ERR_INVALID_CMP_ID;
  id = vcq.id();
  return UTOFU_SUCCESS;
}

// -------------------------------------------------------------------------------------------------
// Paths. A path's number is 1 + its bits: 0 is none.

std::optional<Path> UtofuQueues::default_path(const Coordinates& node) const {
  if (network_.failed.empty()) return Path{node.at[3], node.at[4], node.at[5]};
  const auto paths = paths_between(network_.machine, network_.here, node, network_.failed);
  if (paths.empty()) return std::nullopt;
  return paths.front();
}

std::optional<Path> UtofuQueues::checked_path(const std::uint8_t* coordinates) const {
  const Path path{coordinates[0], coordinates[1], coordinates[2]};
  return is_path(network_.machine, path) ? std::optional(path) : std::nullopt;
}

int UtofuQueues::set_path(utofu_vcq_id_t& id, const std::uint8_t* coordinates) const {
  Vcq vcq;
  if (const int rc = query(id, vcq); rc != UTOFU_SUCCESS) return rc;
  const bool ours = coordinates == nullptr || coordinates[0] == UTOFU_PATH_COORD_NULL;
  vcq.path = ours ? default_path(vcq.node) : checked_path(coordinates);
  if (!vcq.path) return UTOFU_ERR_INVALID_PATH;
  id = vcq.id();
  return UTOFU_SUCCESS;
}

int UtofuQueues::path_id(utofu_vcq_id_t vcq, const std::uint8_t* coordinates,
                         utofu_path_id_t& id) const {
  if (const int rc = set_path(vcq, coordinates); rc != UTOFU_SUCCESS) return rc;
  id = static_cast<utofu_path_id_t>(1 + path_bits(*Vcq::from(vcq)->path));
  return UTOFU_SUCCESS;
}

int UtofuQueues::path_coordinates(utofu_vcq_id_t vcq, utofu_path_id_t id,
                                  std::uint8_t* coordinates) const {
  Vcq v;
  if (const int rc = query(vcq, v); rc != UTOFU_SUCCESS) return rc;
  if (id == 0 || id > 16) return UTOFU_ERR_INVALID_PATH_ID;
  const Path path = path_of(std::uint64_t{id} - 1);
  if (!is_path(network_.machine, path)) return UTOFU_ERR_INVALID_PATH_ID;
  for (std::size_t i = 0; i < 3; ++i) coordinates[i] = static_cast<std::uint8_t>(path[i]);
  return UTOFU_SUCCESS;
}

int UtofuQueues::spread(std::span<utofu_vcq_id_t> vcqs) const {
  std::vector<Vcq> all(vcqs.size());
  for (std::size_t i = 0; i < vcqs.size(); ++i) {
    if (const int rc = query(vcqs[i], all[i]); rc != UTOFU_SUCCESS) return rc;
    if (all[i].node != all[0].node) return UTOFU_ERR_INVALID_VCQ_ID;
  }
  const auto paths =
      disjoint_paths(network_.machine, network_.here, all[0].node, vcqs.size(), network_.failed);
  if (paths.empty()) return UTOFU_ERR_INVALID_PATH;
  for (std::size_t i = 0; i < vcqs.size(); ++i) {
    all[i].path = paths[i % paths.size()];
    vcqs[i] = all[i].id();
  }
  return UTOFU_SUCCESS;
}

// -------------------------------------------------------------------------------------------------
// Memory

int UtofuQueues::enroll(utofu_vcq_hdl_t handle, void* memory, std::size_t bytes,
                        std::optional<unsigned> chosen, unsigned long flags, utofu_stadd_t& stadd) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  // What was a negative number before it became a size_t.
  if (bytes == 0 || bytes > static_cast<std::size_t>(PTRDIFF_MAX)) return UTOFU_ERR_INVALID_SIZE;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (chosen && *chosen >= reserved_tags) return UTOFU_ERR_INVALID_STAG;
  if (memory == nullptr || (chosen && address % beat != 0)) return UTOFU_ERR_INVALID_ADDRESS;
  if (!host::is_readable(memory, bytes)) return UTOFU_ERR_INVALID_ADDRESS;
  const unsigned tags = f->interface->options().tags_per_queue;
  unsigned n = chosen.value_or(reserved_tags);
  const auto used = [&] {
    return f->interface->setting(f->interface->tag(f->number, n)).has_value();
  };
  while (!chosen && n < tags && used()) ++n;
  if (n >= tags) return UTOFU_ERR_FULL;
  if (used()) return UTOFU_ERR_USED;

  Region region;
  auto& node_memory = f->interface->port().memory();
  auto offset = node_memory.offset_of(memory, bytes);
  if (!offset) {
    try {
      region.mapped = std::make_unique<host::MappedMemory>(node_memory, memory, bytes);
    } catch (const std::bad_alloc&) {
      return UTOFU_ERR_OUT_OF_MEMORY;
    }
    offset = region.mapped->offset();
  }
  // A tag's memory begins at a multiple of 16.
  region.begin = *offset % beat;
  region.end = region.begin + bytes;
  region.read_only = (flags & UTOFU_REG_MEM_FLAG_READ_ONLY) != 0;
  TagSetting setting;
  setting.base = *offset - region.begin;
  setting.length = region.end;
  setting.owner = f->number;
  setting.write = setting.atomic = !region.read_only;
  const std::uint32_t tag = f->interface->tag(f->number, n);
  stadd = to_stadd({tag, region.begin});
  f->interface->set_tag(tag, setting);
  f->queue->regions.emplace(tag, std::move(region));
  return UTOFU_SUCCESS;
}

int UtofuQueues::discharge(utofu_vcq_hdl_t handle, utofu_stadd_t stadd) {
  const auto f = find(handle);
  if (!f) return UTOFU_ERR_INVALID_VCQ_HDL;
  const auto address = from_stadd(stadd);
  const auto region = address ? f->queue->regions.find(address->tag) : f->queue->regions.end();
  if (region == f->queue->regions.end() || region->second.begin != address->offset)
    return UTOFU_ERR_INVALID_STADD;
  collect(*f);
  const auto& pending = f->queue->pending;
  if (std::any_of(pending.begin(), pending.end(),
                  [&](const auto& p) { return p.second.local == address->tag; }))
    return UTOFU_ERR_BUSY;
  f->interface->clear_tag(address->tag);
  f->queue->regions.erase(region);
  return UTOFU_SUCCESS;
}

int UtofuQueues::address(utofu_vcq_id_t vcq, unsigned chosen, utofu_stadd_t& stadd) const {
  Vcq v;
  if (const int rc = query(vcq, v); rc != UTOFU_SUCCESS) return rc;
  if (chosen >= reserved_tags) return UTOFU_ERR_INVALID_STAG;
  stadd = to_stadd({network_.interfaces[at(v.tni)]->tag(v.queue, chosen), 0});
  return UTOFU_SUCCESS;
}

}  // namespace ht::tofu
