-- SPDX-License-Identifier: Apache-2.0
-- Part of hypertorus.lua (sim/machine): Tofu's frames; the wire format is in rtl/tofu/README.md.
do
  local wire = tofu_wire
  local header, control_fields, hello_fields = wire.header, wire.control, wire.hello
  local names = { [0] = "X+", "X-", "Y+", "Y-", "Z+", "Z-", "A", "B+", "B-", "C" }

  local tofu = Proto("tofu", "Tofu link")
  -- By the character in byte 0; a link control packet alone is in the second half of an idle beat.
  local character = wire.character_code
  local forms = { [character.start] = "packet", [character.idle] = "control", [character.hello] = "hello" }
  local packet_kinds, control_types, operations = wire.kind, wire.control_type, wire.operation
  local t = {
    form = ProtoField.uint8("tofu.form", "Form", base.HEX, forms),
    payload = ProtoField.bytes("tofu.payload", "Payload"),
    crc = ProtoField.uint32("tofu.crc", "CRC-32C", base.HEX),
    nullified = ProtoField.bool("tofu.nullified", "Nullified"),
    to = ProtoField.string("tofu.to", "To X,Y,Z,A,B,C"),
    from = ProtoField.string("tofu.from", "From X,Y,Z,A,B,C"),
    offset = ProtoField.uint64("tofu.offset", "Offset", base.HEX),
    control = ProtoField.uint8("tofu.control", control_fields.type.label, base.DEC, control_types),
    expected = ProtoField.uint8("tofu.expected", "Next expected sequence"),
    credits = ProtoField.string("tofu.credits", "Units freed, by virtual channel"),
    crc16 = ProtoField.uint16("tofu.control.crc", "CRC-16", base.HEX),
    node = ProtoField.string("tofu.hello.node", "Node X,Y,Z,A,B,C"),
  }
  -- A hello's, in the order in which they are shown.
  local of_hello = {}
  for _, name in ipairs({ "version", "up", "heard", "session", "used", "port", "train_id", "echo_train_id", "epoch",
    "next_expected" }) do
    local place = hello_fields[name]
    local field = place.width == 1 and ProtoField.bool("tofu.hello." .. name, place.label) or
      ProtoField.uint16("tofu.hello." .. name, place.label, base.DEC, name == "port" and names or nil)
    t["hello_" .. name] = field
    of_hello[#of_hello + 1] = { field = field, low = place.low, width = place.width }
  end
  -- Fields of a header that are plain numbers: name, lowest bit, bits, what; of all packets, of network interfaces',
  -- of gates'.
  local function number(name, low, width, what, values)
    local kind = width > 16 and ProtoField.uint32 or ProtoField.uint16
    local field = kind("tofu." .. name, what, base.DEC, values)
    t["number_" .. name] = field
    return { field = field, low = low, width = width }
  end
  local function number_of(name, field, values) return number(name, field.low, field.width, field.label, values) end
  local of_all = {
    number_of("sequence", header.sequence), number_of("channel", header.vc), number_of("leg", header.leg),
    number_of("kind", header.kind, packet_kinds), number_of("beats", header.beats), number_of("path", header.path),
    number_of("interface", header.interface),
  }
  local of_interfaces = {
    number_of("remote_group", wire.remote.group), number_of("tag", wire.remote.tag),
    number_of("queue", wire.remote.queue), number_of("source_queue", wire.remote.source_queue),
    number_of("source_interface", wire.remote.source_interface), number_of("message", wire.remote.message),
    number_of("generation", wire.remote.generation), number_of("edata", wire.remote.edata),
    number_of("first", wire.remote.first), number_of("last", wire.remote.last),
    number_of("notice", wire.remote.notice), number_of("answer", wire.remote.answer),
    number_of("cause", wire.remote.cause, wire.cause), number_of("length", wire.remote.length),
  }
  local of_gates = {
    number_of("gate", wire.gate.to), number_of("from_gate", wire.gate.from), number_of("group", wire.gate.group),
    number_of("operation_number", wire.gate.sequence), number_of("operation", wire.gate.operation, operations),
    number_of("status", wire.gate.status),
  }
  tofu.fields = t

  -- `width` bits from bit `low` on, and their bytes; bit 0 is the lowest of byte 0.
  local function bits(data, low, width)
    local first, last = math.floor(low / 8), math.floor((low + width - 1) / 8)
    local value = 0
    for i = last, first, -1 do value = 256 * value + data(i, 1):uint() end
    return math.floor(value / 2 ^ (low % 8)) % 2 ^ width, data(first, last - first + 1)
  end

  local function bits_of(data, field) return bits(data, field.low, field.width) end

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
    local type, type_bytes = bits_of(data, control_fields.type)
    local expected, expected_bytes = bits_of(data, control_fields.expected)
    tree:add(t.control, type_bytes, type)
    tree:add(t.expected, expected_bytes, expected)
    local width = control_fields.credits.width / 4
    local credits = {}
    for i = 0, 3 do
      credits[i + 1] = string.format("%d", (bits(data, control_fields.credits.low + width * i, width)))
    end
    local _, credit_bytes = bits_of(data, control_fields.credits)
    tree:add(t.credits, credit_bytes, table.concat(credits, ","))
    local crc, crc_bytes = bits_of(data, control_fields.crc)
    tree:add(t.crc16, crc_bytes, crc)
    return string.format("%s, expects %d", control_types[type], expected)
  end

  local function dissect_beats_of_packet(data, control, beats, tree)
    if beats < 2 then return "packet" end
    add_numbers(data, of_all, tree)
    local to, to_bytes = bits_of(data, header.to)
    local from, from_bytes = bits_of(data, header.from)
    to, from = place(to), place(from)
    tree:add(t.to, to_bytes, to)
    tree:add(t.from, from_bytes, from)
    local kind = bits_of(data, header.kind)
    local sequence = bits_of(data, header.sequence)
    local text = string.format("%s %d, %s to %s", packet_kinds[kind] or "packet", sequence, from, to)
    if kind == wire.kind_code.gate then
      add_numbers(data, of_gates, tree)
      text = string.format("%s gate %d, %s %d", text, (bits_of(data, wire.gate.to)),
        operations[bits_of(data, wire.gate.operation)] or "?", (bits_of(data, wire.gate.sequence)))
    else
      local at = wire.remote.offset.low / 8
      tree:add(t.offset, data(at, 5), UInt64.new(data(at, 4):le_uint(), data(at + 4, 1):uint()))
      add_numbers(data, of_interfaces, tree)
    end
    if control(2 * (beats - 1), 1):uint() == 0 then return text end  -- cut short
    if beats > 3 then tree:add(t.payload, data(32, 16 * (beats - 3))) end
    local last = data(16 * (beats - 1), 16)
    local nullified = last(0, 1):uint() == character.nullified
    tree:add(t.nullified, last(0, 1), nullified)
    tree:add_le(t.crc, last(4, 4))
    if nullified then text = text .. ", nullified" end
    if last(8, 1):uint() == character.control and control(2 * (beats - 1) + 1, 1):uint() == 1 then
      text = text .. "; " .. dissect_control_packet(last(8, 8), tree)
    end
    return text
  end

  local function dissect_tofu_hello(data, tree)
    add_numbers(data, of_hello, tree)
    local node, node_bytes = bits_of(data, hello_fields.node)
    tree:add(t.node, node_bytes, place(node))
    tree:add_le(t.crc, data(12, 4))
    return string.format("hello of %s%s%s", place(node), bits_of(data, hello_fields.up) == 1 and ", up" or "",
      bits_of(data, hello_fields.heard) == 1 and ", heard" or "")
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

  machines[3] = { title = "Tofu", links = names, data = 16, control = 2, dissect = dissect_tofu }
end
