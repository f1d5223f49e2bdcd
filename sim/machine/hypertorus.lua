-- SPDX-License-Identifier: Apache-2.0
-- Wireshark dissector for what `hypertorus run --pcap STEM` writes:
--   wireshark -X lua_script:hypertorus.lua STEM.pcapng
-- (or put it into Wireshark's folder for personal plugins). The pseudo-header's layout is in
-- sim/machine/README.md, the wire formats in rtl/qpace/README.md and rtl/qcdoc/README.md.

local links = { [0] = "+x", "-x", "+y", "-y", "+z", "-z", "+t", "-t", "+u", "-u", "+v", "-v" }
local machines = { [1] = "QPACE", [2] = "QCDOC" }
local codes = { [0xfb] = "packet", [0x5c] = "command", [0x9c] = "hello" }
local types = { [0] = "ACK", "NACK", "BUSY", "READY" }
local header_size, packet_words, hello_words = 28, 34, 4
local withdrawn_code = 0x7c

local hypertorus = Proto("hypertorus", "Hypertorus cable")
local h = {
  version = ProtoField.uint8("hypertorus.version", "Layout version"),
  machine = ProtoField.uint8("hypertorus.machine", "Machine", base.DEC, machines),
  damaged = ProtoField.bool("hypertorus.damaged", "Damaged on the way", 8, nil, 0x01),
  unseen = ProtoField.bool("hypertorus.unseen", "Damage the receiver's check does not see", 8, nil, 0x02),
  cut = ProtoField.bool("hypertorus.cut", "Cut short by the sender", 8, nil, 0x04),
  from_node = ProtoField.uint32("hypertorus.from.node", "From node"),
  from_link = ProtoField.uint8("hypertorus.from.link", "From link", base.DEC, links),
  to_node = ProtoField.uint32("hypertorus.to.node", "To node"),
  to_link = ProtoField.uint8("hypertorus.to.link", "To link", base.DEC, links),
  time = ProtoField.uint64("hypertorus.time", "First symbol sent at (ps)"),
  sent = ProtoField.uint16("hypertorus.sent", "Words or bytes sent"),
  arrived = ProtoField.uint16("hypertorus.arrived", "Words or bytes arrived"),
  arrived_data = ProtoField.bytes("hypertorus.arrived.data", "Arrived"),
  arrived_control = ProtoField.bytes("hypertorus.arrived.control", "Arrived, control bits"),
}
hypertorus.fields = h

local qpace = Proto("qpace", "QPACE link")
local q = {
  kind = ProtoField.uint8("qpace.kind", "Kind", base.HEX, codes),
  channel = ProtoField.uint32("qpace.channel", "Virtual channel", base.DEC, nil, 0xe0000000),
  sequence = ProtoField.uint32("qpace.sequence", "Sequence", base.DEC, nil, 0x1f800000),
  offset = ProtoField.uint32("qpace.offset", "Remote offset (128 B)", base.DEC, nil, 0x007fff00),
  payload = ProtoField.bytes("qpace.payload", "Payload"),
  crc = ProtoField.uint32("qpace.crc", "CRC-32C", base.HEX),
  withdrawn = ProtoField.bool("qpace.withdrawn", "Withdrawn by its sender"),
  type = ProtoField.uint8("qpace.command", "Command", base.DEC, types, 0x03),
  expected = ProtoField.uint8("qpace.expected", "Next expected sequence", base.DEC, nil, 0xfc),
  crc16 = ProtoField.uint16("qpace.command.crc", "CRC-16", base.HEX),
  version = ProtoField.uint8("qpace.hello.version", "Protocol version"),
  up = ProtoField.bool("qpace.hello.up", "Up", 8, nil, 0x80),
  heard = ProtoField.bool("qpace.hello.heard", "Has heard its peer", 8, nil, 0x40),
  port = ProtoField.uint8("qpace.hello.port", "Port", base.DEC, links, 0x07),
  train_id = ProtoField.uint8("qpace.hello.train_id", "Training", base.DEC, nil, 0xf0),
  echo_id = ProtoField.uint8("qpace.hello.echo_train_id", "Peer's training", base.DEC, nil, 0x0f),
  epoch = ProtoField.uint16("qpace.hello.epoch", "Session epoch"),
  node = ProtoField.uint16("qpace.hello.node", "Node"),
  resume = ProtoField.uint8("qpace.hello.next_expected", "Next expected sequence"),
}
qpace.fields = q

-- `data`: the frame's words, four bytes each; `control`: their control bits, a byte each.
-- Returns a line about it.
local function dissect_packet(data, control, words, tree)
  local header = data(0, 4)
  tree:add_le(q.channel, header)
  tree:add_le(q.sequence, header)
  tree:add_le(q.offset, header)
  local value = header:le_uint()
  local text = string.format("packet channel %d sequence %d offset %d",
    math.floor(value / 2 ^ 29), math.floor(value / 2 ^ 23) % 64, math.floor(value / 2 ^ 8) % 2 ^ 15)
  if words < packet_words then return text end
  tree:add(q.payload, data(4, 4 * (packet_words - 2)))
  local last = data(4 * (packet_words - 1), 4)
  local withdrawn = control(packet_words - 1, 1):uint() == 1 and last(0, 1):uint() == withdrawn_code
  tree:add(q.withdrawn, last, withdrawn)
  if withdrawn then return text .. ", withdrawn" end
  tree:add_le(q.crc, last)
  return text
end

local function dissect_command(data, tree)
  local field = data(1, 1)
  tree:add(q.type, field)
  tree:add(q.expected, field)
  tree:add_le(q.crc16, data(2, 2))
  return string.format("%s, expects %d", types[field:uint() % 4], math.floor(field:uint() / 4))
end

local function dissect_hello(data, words, tree)
  tree:add(q.version, data(1, 1))
  for _, field in ipairs({ q.up, q.heard, q.port }) do tree:add(field, data(2, 1)) end
  tree:add(q.train_id, data(3, 1))
  tree:add(q.echo_id, data(3, 1))
  if words < hello_words then return "hello" end
  tree:add_le(q.epoch, data(4, 2))
  tree:add_le(q.node, data(6, 2))
  tree:add(q.resume, data(8, 1))
  tree:add_le(q.crc, data(12, 4))
  local flags = data(2, 1):uint()
  return string.format("hello of node %d%s%s", data(6, 2):le_uint(),
    flags >= 128 and ", up" or "", math.floor(flags / 64) % 2 == 1 and ", heard" or "")
end

local function dissect_qpace(data, control, words, root)
  local tree = root:add(qpace, data)
  local code = data(0, 1):uint()
  tree:add(q.kind, data(0, 1))
  if codes[code] == "packet" then return dissect_packet(data, control, words, tree) end
  if codes[code] == "command" then return dissect_command(data, tree) end
  if codes[code] == "hello" then return dissect_hello(data, words, tree) end
  return string.format("unknown start code %02x", code)
end

local qcdoc = Proto("qcdoc", "QCDOC link")
local kinds = { [0] = "data", "supervisor", "interrupt", "idle", "marks", "ack supervisor",
  "ack interrupt", "training", "break" }
local d = {
  kind = ProtoField.uint8("qcdoc.kind", "Kind", base.DEC, kinds),
  header = ProtoField.uint8("qcdoc.header", "Header", base.HEX),
  parity = ProtoField.uint8("qcdoc.parity", "Parity bits", base.DEC, nil, 0x03),
  word = ProtoField.uint64("qcdoc.word", "Word", base.HEX),
  interrupts = ProtoField.uint8("qcdoc.interrupts", "Partition interrupts", base.HEX, nil, 0x7f),
  window = ProtoField.bool("qcdoc.window", "In a window of odd number", 8, nil, 0x80),
  sequence = ProtoField.uint8("qcdoc.sequence", "Number of the supervisor word or interrupt"),
  ack = ProtoField.uint8("qcdoc.ack", "Acknowledges data up to"),
  ack_supervisor = ProtoField.uint8("qcdoc.ack.supervisor", "Acknowledges supervisor word"),
  ack_interrupt = ProtoField.uint8("qcdoc.ack.interrupt", "Acknowledges interrupt"),
  hold = ProtoField.bool("qcdoc.hold", "No place for data"),
  marks = ProtoField.uint32("qcdoc.marks", "Marks"),
  next = ProtoField.uint8("qcdoc.next", "Goes on with data word", base.DEC, nil, 0xfc),
  lost = ProtoField.bool("qcdoc.lost", "Wants words again", 8, nil, 0x02),
  expected = ProtoField.uint8("qcdoc.expected", "Expects data word", base.DEC, nil, 0xfc),
  waiting = ProtoField.uint8("qcdoc.waiting", "Words nobody has taken", base.DEC, nil, 0x03),
  status = ProtoField.uint8("qcdoc.training", "Training status", base.HEX),
  session = ProtoField.bool("qcdoc.training.session", "Was up in this session", 8, nil, 0x40),
  used = ProtoField.bool("qcdoc.training.used", "Words were exchanged", 8, nil, 0x20),
  heard = ProtoField.bool("qcdoc.training.heard", "Hears its peer", 8, nil, 0x10),
  port = ProtoField.uint8("qcdoc.training.port", "Port", base.DEC, links, 0x0f),
}
qcdoc.fields = d

-- What the header of a frame acknowledges; `k`: its upper five bits.
local function dissect_acknowledgement(k, header, tree)
  if k >= 4 and k < 6 then
    tree:add(d.ack_supervisor, header, k % 2)
    return string.format("acknowledges supervisor word %d", k % 2)
  elseif k >= 6 and k < 8 then
    tree:add(d.ack_interrupt, header, k % 2)
    return string.format("acknowledges interrupt %d", k % 2)
  end
  tree:add(d.ack, header, k % 4)
  return string.format("acknowledges data up to %d", k % 4)
end

local function dissect_training(data, tree)
  local status = data(2, 1)
  for _, field in ipairs({ d.status, d.session, d.used, d.heard, d.port }) do tree:add(field, status) end
  local value = status:uint()
  return string.format("training, port %d%s%s", value % 16, math.floor(value / 64) % 2 == 1 and ", session" or "",
    math.floor(value / 16) % 2 == 1 and ", heard" or "")
end

local function dissect_frame(kind, k, data, bytes, tree)
  local header = data(0, 1)
  tree:add(d.parity, header)
  local acknowledges = dissect_acknowledgement(k, header, tree)
  local name = kinds[kind]
  if kind > 0 then
    local sequence = math.floor(k / 4) % 2
    tree:add(d.sequence, header, sequence)
    name = string.format("%s %d", name, sequence)
  end
  if kind == 2 and bytes == 2 then
    tree:add(d.interrupts, data(1, 1))
    tree:add(d.window, data(1, 1))
    name = string.format("%s: %02x", name, data(1, 1):uint() % 128)
  elseif kind < 2 and bytes == 9 then
    tree:add_le(d.word, data(1, 8))
    name = string.format("%s: %s", name, data(1, 8):le_uint64():tohex())
  end
  return name .. ", " .. acknowledges
end

-- Marks and a record, as far as it was sent.
local function dissect_marks(data, bytes, tree)
  local marks = 0
  while marks < bytes and data(marks, 1):uint() == 0xec do marks = marks + 1 end
  tree:add(d.marks, data(0, marks), marks)
  local text = string.format("%d marks", marks)
  if bytes < marks + 4 then return text end
  local first, second = data(marks, 1), data(marks + 2, 1)
  for _, field in ipairs({ d.next, d.lost }) do tree:add(field, first) end
  for _, field in ipairs({ d.expected, d.waiting }) do tree:add(field, second) end
  return string.format("%s, goes on with data word %d, expects %d%s", text, math.floor(first:uint() / 4),
    math.floor(second:uint() / 4), math.floor(first:uint() / 2) % 2 == 1 and ", lost" or "")
end

-- Bare headers that are no idle bytes: kind, and what they acknowledge.
local bare = { [0xdf] = { 5, "supervisor word", 0 }, [0xfb] = { 5, "supervisor word", 1 },
  [0xef] = { 6, "interrupt", 0 }, [0xf7] = { 6, "interrupt", 1 } }

local function dissect_bare(data, bytes, tree)
  local header, byte = data(0, 1), data(0, 1):uint()
  if byte == 0xec then return 4, dissect_marks(data, bytes, tree) end
  if byte == 0xe3 then return 8, "break" end
  local what = bare[byte]
  if what then
    tree:add(what[1] == 5 and d.ack_supervisor or d.ack_interrupt, header, what[3])
    return what[1], string.format("acknowledges %s %d", what[2], what[3])
  end
  local number = math.floor(byte / 8) % 4
  if byte == 0xe0 then number = 3 end
  local hold = byte % 4 == 3 or byte == 0xe0
  tree:add(d.ack, header, number)
  tree:add(d.hold, header, hold)
  return 3, string.format("idle, acknowledges data up to %d%s", number, hold and ", hold" or "")
end

local function dissect_qcdoc(data, bytes, root)
  local tree = root:add(qcdoc, data)
  if bytes == 4 and data(0, 2):uint() == 0xf628 then
    tree:add(d.kind, data(0, 1), 7)
    return dissect_training(data, tree)
  end
  tree:add(d.header, data(0, 1))
  local k = math.floor(data(0, 1):uint() / 8)
  local kind, text
  if k >= 24 then
    kind, text = dissect_bare(data, bytes, tree)
  else
    kind = math.floor(k / 8)
    text = dissect_frame(kind, k, data, bytes, tree)
  end
  tree:add(d.kind, data(0, 1), kind)
  return text
end

-- The frame as sent, and as it arrived if that differs. Of QPACE words with their control bits, of QCDOC bytes.
local function dissect_sent(buffer, machine, sent, arrived, tree, root)
  local at = header_size + (machine == 1 and 5 or 1) * sent
  local text
  if machine == 1 then
    local control = buffer(header_size + 4 * sent, sent)
    text = dissect_qpace(buffer(header_size, 4 * sent), control, sent, root)
  else
    text = dissect_qcdoc(buffer(header_size, sent), sent, root)
  end
  if arrived > 0 then
    tree:add(h.arrived_data, buffer(at, (machine == 1 and 4 or 1) * arrived))
    if machine == 1 then tree:add(h.arrived_control, buffer(at + 4 * arrived, arrived)) end
  end
  return text
end

function hypertorus.dissector(buffer, packet, root)
  if buffer:len() < header_size then return 0 end
  local tree = root:add(hypertorus, buffer(0, header_size))
  tree:add(h.version, buffer(0, 1))
  tree:add(h.machine, buffer(1, 1))
  for _, field in ipairs({ h.damaged, h.unseen, h.cut }) do tree:add(field, buffer(2, 1)) end
  tree:add(h.from_link, buffer(3, 1))
  tree:add(h.to_link, buffer(4, 1))
  tree:add(h.from_node, buffer(8, 4))
  tree:add(h.to_node, buffer(12, 4))
  tree:add(h.time, buffer(16, 8))
  tree:add(h.sent, buffer(24, 2))
  tree:add(h.arrived, buffer(26, 2))
  local sent, arrived = buffer(24, 2):uint(), buffer(26, 2):uint()
  local machine = buffer(1, 1):uint()
  packet.cols.protocol = machines[machine] or "hypertorus"
  packet.cols.src = string.format("node %d %s", buffer(8, 4):uint(), links[buffer(3, 1):uint()] or "?")
  packet.cols.dst = string.format("node %d %s", buffer(12, 4):uint(), links[buffer(4, 1):uint()] or "?")
  local text = "unknown layout"
  if buffer(0, 1):uint() == 1 and machines[machine] and sent > 0 then
    text = dissect_sent(buffer, machine, sent, arrived, tree, root)
  end
  local flags = buffer(2, 1):uint()
  if flags % 2 == 1 then text = text .. " [damaged]" end
  if math.floor(flags / 2) % 2 == 1 then text = text .. " [unseen]" end
  packet.cols.info = text
  return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, hypertorus)
