-- SPDX-License-Identifier: Apache-2.0
-- Part of hypertorus.lua (sim/machine): QPACE's frames; the wire format is in rtl/qpace/README.md.
do
  local names = { [0] = "+x", "-x", "+y", "-y", "+z", "-z" }
  local codes = { [0xfb] = "packet", [0x5c] = "command", [0x9c] = "hello" }
  local types = { [0] = "ACK", "NACK", "BUSY", "READY" }
  local packet_words, hello_words = 34, 4
  local withdrawn_code = 0x7c

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
    port = ProtoField.uint8("qpace.hello.port", "Port", base.DEC, names, 0x07),
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

  machines[1] = { title = "QPACE", links = names, data = 4, control = 1, dissect = dissect_qpace }
end
