-- SPDX-License-Identifier: Apache-2.0
-- Part of hypertorus.lua (sim/machine): QPACE's frames; the wire format is in rtl/qpace/README.md.
do
  local names = { [0] = "+x", "-x", "+y", "-y", "+z", "-z" }
  local wire = qpace_wire
  local codes, types = wire.character, wire.command_type
  local packet_words, hello_words = 34, 4

  local qpace = Proto("qpace", "QPACE link")
  -- A number in word `word` of a frame, and a flag; their places are those of the word.
  local function number(name, field, word, values)
    return ProtoField.uint32("qpace." .. name, field.label, base.DEC, values, mask(field, 32 * word))
  end
  local function flag(name, field) return ProtoField.bool("qpace." .. name, field.label, 32, nil, mask(field, 0)) end
  local hello = wire.hello
  local q = {
    kind = ProtoField.uint8("qpace.kind", "Kind", base.HEX, codes),
    channel = number("channel", wire.packet.channel, 0),
    sequence = number("sequence", wire.packet.sequence, 0),
    offset = number("offset", wire.packet.offset, 0),
    payload = ProtoField.bytes("qpace.payload", "Payload"),
    crc = ProtoField.uint32("qpace.crc", hello.crc.label, base.HEX),
    withdrawn = ProtoField.bool("qpace.withdrawn", "Withdrawn by its sender"),
    type = number("command", wire.command.type, 0, types),
    expected = number("expected", wire.command.sequence, 0),
    crc16 = ProtoField.uint32("qpace.command.crc", wire.command.crc.label, base.HEX, nil, mask(wire.command.crc, 0)),
    version = number("hello.version", hello.version, 0),
    up = flag("hello.up", hello.up),
    heard = flag("hello.heard", hello.heard),
    session = flag("hello.session", hello.session),
    used = flag("hello.used", hello.used),
    port = number("hello.port", hello.port, 0, names),
    train_id = number("hello.train_id", hello.train_id, 0),
    echo_id = number("hello.echo_train_id", hello.echo_train_id, 0),
    epoch = number("hello.epoch", hello.epoch, 1),
    node = number("hello.node", hello.node, 1),
    resume = number("hello.next_expected", hello.next_expected, 2),
  }
  qpace.fields = q

  -- `data`: the frame's words, four bytes each; `control`: their control bits, a byte each.
  -- Returns a line about it.
  local function dissect_packet(data, control, words, tree)
    local header = data(0, 4)
    for _, field in ipairs({ q.channel, q.sequence, q.offset }) do tree:add_le(field, header) end
    local value = header:le_uint()
    local text = string.format("packet channel %d sequence %d offset %d", part(value, wire.packet.channel),
      part(value, wire.packet.sequence), part(value, wire.packet.offset))
    if words < packet_words then return text end
    tree:add(q.payload, data(4, 4 * (packet_words - 2)))
    local last = data(4 * (packet_words - 1), 4)
    local withdrawn = control(packet_words - 1, 1):uint() == wire.control_code.start_control and
      last(0, 1):uint() == wire.character_code.withdrawn
    tree:add(q.withdrawn, last, withdrawn)
    if withdrawn then return text .. ", withdrawn" end
    tree:add_le(q.crc, last)
    return text
  end

  local function dissect_command(data, tree)
    local word = data(0, 4)
    for _, field in ipairs({ q.type, q.expected, q.crc16 }) do tree:add_le(field, word) end
    local value = word:le_uint()
    return string.format("%s, expects %d", types[part(value, wire.command.type)], part(value, wire.command.sequence))
  end

  local function dissect_hello(data, words, tree)
    local first = data(0, 4)
    for _, field in ipairs({ q.version, q.up, q.heard, q.session, q.used, q.port, q.train_id, q.echo_id }) do
      tree:add_le(field, first)
    end
    if words < hello_words then return "hello" end
    for _, field in ipairs({ q.epoch, q.node }) do tree:add_le(field, data(4, 4)) end
    tree:add_le(q.resume, data(8, 4))
    tree:add_le(q.crc, data(12, 4))
    local flags, identity = first:le_uint(), data(4, 4):le_uint()
    return string.format("hello of node %d%s%s", part(identity, hello.node, 32),
      part(flags, hello.up) == 1 and ", up" or "", part(flags, hello.heard) == 1 and ", heard" or "")
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

  machines[1] = { title = "QPACE", links = names, data = 4, control = 1, dissect = dissect_qpace }
end
