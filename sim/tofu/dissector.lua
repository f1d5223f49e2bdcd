-- SPDX-License-Identifier: Apache-2.0
-- Part of hypertorus.lua (sim/machine): Tofu's frames; the wire format is in rtl/tofu/README.md.
do
  local nullified_code = 0x7c
  local names = { [0] = "X+", "X-", "Y+", "Y-", "Z+", "Z-", "A", "B+", "B-", "C" }

  local tofu = Proto("tofu", "Tofu link")
  local forms = { [0xfb] = "packet", [0x07] = "control", [0x9c] = "hello" }
  local packet_kinds = { [0] = "put", "get", "data", "atomic", "response", "gate" }
  local control_types = { [0] = "ACK", "NACK", "BUSY", "ASK" }
  local operations = { [0] = "barrier", "and", "or", "xor", "max", "sum", "fsum", "broadcast" }
  local causes = { [0] = "good", "tag", "range", "right", "owner", "disabled", "descriptor", "notice lost",
    "data lost", "full" }
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
    port = ProtoField.uint8("tofu.hello.port", "Port", base.DEC, names, 0x0f),
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
    number("message", 152, 4, "Message"), number("generation", 156, 4, "Generation of the message"),
    number("edata", 160, 16, "Edata"),
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
    local nullified = last(0, 1):uint() == nullified_code
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

  machines[3] = { title = "Tofu", links = names, data = 16, control = 2, dissect = dissect_tofu }
end
