-- SPDX-License-Identifier: Apache-2.0
-- Wireshark dissector for what `hypertorus run --pcap STEM` writes:
--   wireshark -X lua_script:hypertorus.lua STEM.pcapng
-- (or put it into Wireshark's folder for personal plugins). The pseudo-header's layout is in
-- sim/machine/README.md, the wire formats in rtl/qpace/README.md, rtl/qcdoc/README.md and rtl/tofu/README.md.

local links = { [0] = "+x", "-x", "+y", "-y", "+z", "-z", "+t", "-t", "+u", "-u", "+v", "-v" }
local tofu_links = { [0] = "X+", "X-", "Y+", "Y-", "Z+", "Z-", "A", "B+", "B-", "C" }
local machines = { [1] = "QPACE", [2] = "QCDOC", [3] = "Tofu" }
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
  from_link = ProtoField.uint8("hypertorus.from.link", "From link"),
  to_node = ProtoField.uint32("hypertorus.to.node", "To node"),
  to_link = ProtoField.uint8("hypertorus.to.link", "To link"),
  time = ProtoField.uint64("hypertorus.time", "First symbol sent at (ps)"),
  sent = ProtoField.uint16("hypertorus.sent", "Words, bytes or beats sent"),
  arrived = ProtoField.uint16("hypertorus.arrived", "Words, bytes or beats arrived"),
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

local tofu = Proto("tofu", "Tofu link")
local forms = { [0xfb] = "packet", [0x07] = "control", [0x9c] = "hello" }
local packet_kinds = { [0] = "put", "get", "data", "atomic", "response", "gate" }
local control_types = { [0] = "ACK", "NACK", "BUSY", "ASK" }
local operations = { [0] = "barrier", "and", "or", "xor", "max", "sum", "fsum", "broadcast" }
local causes = { [0] = "good", "tag", "range", "right", "owner", "disabled", "descriptor", "notice lost" }
local t = {
  form = ProtoField.uint8("tofu.form", "Form", base.HEX, forms),
  payload = ProtoField.bytes("tofu.payload", "Payload"),
  crc = ProtoField.uint32("tofu.crc", "CRC-32C", base.HEX),
  nullified = ProtoField.bool("tofu.nullified", "Nullified"),
  to = ProtoField.string("tofu.to", "To X,Y,Z,A,B,C"),
  from = ProtoField.string("tofu.from", "From X,Y,Z,A,B,C"),
  offset = ProtoField.uint64("tofu.offset", "Offset", base.HEX),
  control = ProtoField.uint8("tofu.control", "Link control packet", base.DEC, control_types, 0x03),
  expected = ProtoField.uint8("tofu.expected", "Next expected sequence"),
  credits = ProtoField.string("tofu.credits", "Units freed, by virtual channel"),
  crc16 = ProtoField.uint16("tofu.control.crc", "CRC-16", base.HEX),
  version = ProtoField.uint8("tofu.hello.version", "Protocol version"),
  up = ProtoField.bool("tofu.hello.up", "Up", 8, nil, 0x80),
  heard = ProtoField.bool("tofu.hello.heard", "Has heard its peer", 8, nil, 0x40),
  session = ProtoField.bool("tofu.hello.session", "Was up in this session", 8, nil, 0x20),
  used = ProtoField.bool("tofu.hello.used", "Packets were exchanged", 8, nil, 0x10),
  port = ProtoField.uint8("tofu.hello.port", "Port", base.DEC, tofu_links, 0x0f),
  train_id = ProtoField.uint8("tofu.hello.train_id", "Training", base.DEC, nil, 0xf0),
  echo_id = ProtoField.uint8("tofu.hello.echo_train_id", "Peer's training", base.DEC, nil, 0x0f),
  node = ProtoField.string("tofu.hello.node", "Node X,Y,Z,A,B,C"),
  epoch = ProtoField.uint16("tofu.hello.epoch", "Session epoch"),
  resume = ProtoField.uint8("tofu.hello.next_expected", "Next expected sequence"),
}
-- Fields of a header that are plain numbers: name, lowest bit, bits, what; of all packets, of network interfaces', of gates'.
local function number(name, low, width, what, values)
  local kind = width > 16 and ProtoField.uint32 or ProtoField.uint16
  local field = kind("tofu." .. name, what, base.DEC, values)
  t["number_" .. name] = field
  return { field = field, low = low, width = width }
end
local of_all = {
  number("sequence", 8, 8, "Sequence"), number("channel", 16, 2, "Virtual channel"),
  number("leg", 18, 1, "First ABC leg done"), number("kind", 20, 4, "Kind", packet_kinds),
  number("beats", 24, 7, "Beats of payload"), number("path", 51, 4, "Path"),
  number("interface", 75, 3, "Interface at the destination"),
}
local of_interfaces = {
  number("tag", 120, 18, "Steering tag"), number("queue", 138, 6, "Queue at the destination"),
  number("source_queue", 144, 6, "Source queue"), number("source_interface", 150, 2, "Source interface"),
  number("message", 152, 8, "Message"), number("edata", 160, 16, "Edata"),
  number("first", 180, 1, "First of a message"), number("last", 181, 1, "Last of a message"),
  number("notice", 182, 1, "Notice wanted"), number("answer", 183, 1, "Answer wanted"),
  number("cause", 184, 4, "Cause", causes), number("length", 192, 24, "Bytes wanted"),
}
local of_gates = {
  number("gate", 80, 6, "To gate"), number("from_gate", 86, 6, "From gate"), number("group", 92, 8, "Group"),
  number("operation_number", 100, 24, "Sequence of the operation"),
  number("operation", 124, 4, "Operation", operations), number("status", 128, 8, "Status"),
}
tofu.fields = t

-- `width` bits from bit `low` on, and their bytes; bit 0 is the lowest of byte 0.
local function bits(data, low, width)
  local first, last = math.floor(low / 8), math.floor((low + width - 1) / 8)
  local value = 0
  for i = last, first, -1 do value = 256 * value + data(i, 1):uint() end
  return math.floor(value / 2 ^ (low % 8)) % 2 ^ width, data(first, last - first + 1)
end

-- A node's address as X,Y,Z,A,B,C.
local function place(value)
  local parts = {}
  for i, length in ipairs({ 32, 32, 32, 2, 4, 2 }) do
    parts[i] = string.format("%d", value % length)
    value = math.floor(value / length)
  end
  return table.concat(parts, ",")
end

local function add_numbers(data, numbers, tree)
  for _, n in ipairs(numbers) do
    local value, range = bits(data, n.low, n.width)
    tree:add(n.field, range, value)
  end
end

local function dissect_control_packet(data, tree)
  tree:add(t.control, data(1, 1))
  local expected, where = bits(data, 10, 8)
  tree:add(t.expected, where, expected)
  local credits = {}
  for i = 1, 4 do credits[i] = string.format("%d", (bits(data, 11 + 7 * i, 7))) end
  tree:add(t.credits, data(2, 4), table.concat(credits, ","))
  tree:add_le(t.crc16, data(6, 2))
  return string.format("%s, expects %d", control_types[data(1, 1):uint() % 4], expected)
end

local function dissect_beats_of_packet(data, control, beats, tree)
  if beats < 2 then return "packet" end
  add_numbers(data, of_all, tree)
  local to, from = place((bits(data, 32, 19))), place((bits(data, 56, 19)))
  tree:add(t.to, data(4, 3), to)
  tree:add(t.from, data(7, 3), from)
  local kind = bits(data, 20, 4)
  local text = string.format("%s %d, %s to %s", packet_kinds[kind] or "packet", data(1, 1):uint(), from, to)
  if kind == 5 then
    add_numbers(data, of_gates, tree)
    text = string.format("%s gate %d, %s %d", text, (bits(data, 80, 6)), operations[bits(data, 124, 4)] or "?",
      (bits(data, 100, 24)))
  else
    tree:add(t.offset, data(10, 5), UInt64.new(data(10, 4):le_uint(), data(14, 1):uint()))
    add_numbers(data, of_interfaces, tree)
  end
  if control(2 * (beats - 1), 1):uint() == 0 then return text end  -- cut short
  if beats > 3 then tree:add(t.payload, data(32, 16 * (beats - 3))) end
  local last = data(16 * (beats - 1), 16)
  local nullified = last(0, 1):uint() == withdrawn_code
  tree:add(t.nullified, last(0, 1), nullified)
  tree:add_le(t.crc, last(4, 4))
  if nullified then text = text .. ", nullified" end
  if last(8, 1):uint() == 0x5c and control(2 * (beats - 1) + 1, 1):uint() == 1 then
    text = text .. "; " .. dissect_control_packet(last(8, 8), tree)
  end
  return text
end

local function dissect_tofu_hello(data, tree)
  tree:add(t.version, data(1, 1))
  for _, field in ipairs({ t.up, t.heard, t.session, t.used, t.port }) do tree:add(field, data(2, 1)) end
  tree:add(t.train_id, data(3, 1))
  tree:add(t.echo_id, data(3, 1))
  local node = place(data(4, 4):le_uint())
  tree:add(t.node, data(4, 4), node)
  tree:add_le(t.epoch, data(8, 2))
  tree:add(t.resume, data(10, 1))
  tree:add_le(t.crc, data(12, 4))
  local flags = data(2, 1):uint()
  return string.format("hello of %s%s%s", node, flags >= 128 and ", up" or "",
    math.floor(flags / 64) % 2 == 1 and ", heard" or "")
end

local function dissect_tofu(data, control, beats, root)
  local tree = root:add(tofu, data)
  local form = forms[data(0, 1):uint()]
  tree:add(t.form, data(0, 1))
  if form == "packet" then return dissect_beats_of_packet(data, control, beats, tree) end
  if form == "control" then return dissect_control_packet(data(8, 8), tree) end
  if form == "hello" then return dissect_tofu_hello(data, tree) end
  return string.format("unknown start code %02x", data(0, 1):uint())
end

-- Bytes of a unit of each machine's frames, and of its control bits: words, bytes, beats.
local units = { { 4, 1 }, { 1, 0 }, { 16, 2 } }

-- The frame as sent, and as it arrived if that differs.
local function dissect_sent(buffer, machine, sent, arrived, tree, root)
  local data, control = units[machine][1], units[machine][2]
  local frame, text = buffer(header_size, data * sent)
  local at = header_size + (data + control) * sent
  if machine == 1 then
    text = dissect_qpace(frame, buffer(header_size + data * sent, control * sent), sent, root)
  elseif machine == 2 then
    text = dissect_qcdoc(frame, sent, root)
  else
    text = dissect_tofu(frame, buffer(header_size + data * sent, control * sent), sent, root)
  end
  if arrived > 0 then
    tree:add(h.arrived_data, buffer(at, data * arrived))
    if control > 0 then tree:add(h.arrived_control, buffer(at + data * arrived, control * arrived)) end
  end
  return text
end

function hypertorus.dissector(buffer, packet, root)
  if buffer:len() < header_size then return 0 end
  local tree = root:add(hypertorus, buffer(0, header_size))
  tree:add(h.version, buffer(0, 1))
  tree:add(h.machine, buffer(1, 1))
  for _, field in ipairs({ h.damaged, h.unseen, h.cut }) do tree:add(field, buffer(2, 1)) end
  local names = buffer(1, 1):uint() == 3 and tofu_links or links
  local from_name, to_name = names[buffer(3, 1):uint()] or "?", names[buffer(4, 1):uint()] or "?"
  tree:add(h.from_link, buffer(3, 1)):append_text(" (" .. from_name .. ")")
  tree:add(h.to_link, buffer(4, 1)):append_text(" (" .. to_name .. ")")
  tree:add(h.from_node, buffer(8, 4))
  tree:add(h.to_node, buffer(12, 4))
  tree:add(h.time, buffer(16, 8))
  tree:add(h.sent, buffer(24, 2))
  tree:add(h.arrived, buffer(26, 2))
  local sent, arrived = buffer(24, 2):uint(), buffer(26, 2):uint()
  local machine = buffer(1, 1):uint()
  packet.cols.protocol = machines[machine] or "hypertorus"
  packet.cols.src = string.format("node %d %s", buffer(8, 4):uint(), from_name)
  packet.cols.dst = string.format("node %d %s", buffer(12, 4):uint(), to_name)
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
