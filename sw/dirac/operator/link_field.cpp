// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/link_field.hpp"

namespace ht::dirac {

template <class Site>
std::vector<Site> FieldShift<Site>::operator()(const std::vector<Site>& field, int direction) {
  std::vector<Site> out(field.size());
  for (int site = 0; site < geometry_.volume(); ++site) {
    if (geometry_.leaves_node(site, direction)) continue;
    out[static_cast<std::size_t>(site)] =
        field[static_cast<std::size_t>(geometry_.local_neighbour(site, direction))];
  }
  const int back = direction ^ 1;
  const std::vector<int> wanted = geometry_.face(direction), given = geometry_.face(back);
  if (wanted.empty()) return out;
  std::unique_ptr<Halo>& halo = halo_[static_cast<std::size_t>(direction)];
  if (!halo) {
    Halo::Slots receive{}, send{};
    receive[static_cast<std::size_t>(direction)] = static_cast<int>(wanted.size());
    send[static_cast<std::size_t>(back)] = static_cast<int>(given.size());
    halo = std::make_unique<Halo>(receive, send, sizeof(Site));
  }
  halo->start_receives();
  auto* to = halo->template send_buffer<Site>(back);
  for (const int site : given) *to++ = field[static_cast<std::size_t>(site)];
  halo->start_send(back);
  halo->wait_receives();
  const auto* from = halo->template receive_buffer<Site>(direction);
  for (const int site : wanted) out[static_cast<std::size_t>(site)] = *from++;
  halo->wait_sends();
  return out;
}

template class FieldShift<Link>;
template class FieldShift<Spinor<double>>;

LinkField multiply(const LinkField& a, const LinkField& b) {
  LinkField out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = multiply(a[i], b[i]);
  return out;
}

LinkField adjoint_multiply(const LinkField& a, const LinkField& b) {
  LinkField out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = multiply(adjoint(a[i]), b[i]);
  return out;
}

LinkField multiply_adjoint(const LinkField& a, const LinkField& b) {
  LinkField out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = multiply(a[i], adjoint(b[i]));
  return out;
}

void add(LinkField& sum, double factor, const LinkField& a) {
  for (std::size_t s = 0; s < sum.size(); ++s) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t part = 0; part < 2; ++part)
          sum[s].e[i][j][part] += factor * a[s].e[i][j][part];
      }
    }
  }
}

}  // namespace ht::dirac
