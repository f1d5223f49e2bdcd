-- SPDX-License-Identifier: Apache-2.0
-- Part of hypertorus.lua (sim/machine): QCDOC's frames; the wire format is in rtl/qcdoc/README.md.
do
  local names = { [0] = "+x", "-x", "+y", "-y", "+z", "-z", "+t", "-t", "+u", "-u", "+v", "-v" }

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
    check = ProtoField.uint8("qcdoc.check", "Check byte", base.HEX),
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
    port = ProtoField.uint8("qcdoc.training.port", "Port", base.DEC, names, 0x0f),
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
    if kind == 2 and bytes == 3 then
      tree:add(d.check, data(2, 1))
      tree:add(d.interrupts, data(1, 1))
      tree:add(d.window, data(1, 1))
      name = string.format("%s: %02x", name, data(1, 1):uint() % 128)
    elseif kind < 2 and bytes == 9 + kind then
      if kind == 1 then tree:add(d.check, data(9, 1)) end
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

  local function dissect(data, _, bytes, root) return dissect_qcdoc(data, bytes, root) end
  machines[2] = { title = "QCDOC", links = names, data = 1, control = 0, dissect = dissect }
end
