-- SPDX-License-Identifier: Apache-2.0
-- Part of hypertorus.lua (sim/machine): QCDOC's frames; the wire format is in rtl/qcdoc/README.md.
do
  local names = { [0] = "+x", "-x", "+y", "-y", "+z", "-z", "+t", "-t", "+u", "-u", "+v", "-v" }

  local wire = qcdoc_wire
  local codes, classes, header, record = wire.bare_code_code, wire.frame_class_code, wire.header, wire.record
  local status, says = wire.status, wire.interrupt_code
  -- Bytes of a frame, by class.
  local lengths = { [classes.data] = wire.data_frame.bits / 8, [classes.supervisor] = wire.supervisor_frame.bits / 8,
    [classes.interrupt] = wire.interrupt_frame.bits / 8 }

  local qcdoc = Proto("qcdoc", "QCDOC link")
  -- Kinds of frames are their class, and these.
  local idle, marks, ack_supervisor, ack_interrupt, training, broken = 3, 4, 5, 6, 7, 8
  local kinds = { [classes.data] = "data", [classes.supervisor] = "supervisor", [classes.interrupt] = "interrupt",
    [idle] = "idle", [marks] = "marks", [ack_supervisor] = "ack supervisor", [ack_interrupt] = "ack interrupt",
    [training] = "training", [broken] = "break" }
  -- A number in a byte, and a flag; `from`: the bit of its layout at which the byte begins.
  local function number(name, field, from, values)
    return ProtoField.uint8("qcdoc." .. name, field.label, base.DEC, values, mask(field, from))
  end
  local function flag(name, field, from)
    return ProtoField.bool("qcdoc." .. name, field.label, 8, nil, mask(field, from))
  end
  local d = {
    kind = ProtoField.uint8("qcdoc.kind", "Kind", base.DEC, kinds),
    header = ProtoField.uint8("qcdoc.header", wire.data_frame.header.label, base.HEX),
    parity = number("parity", header.parity),
    word = ProtoField.uint64("qcdoc.word", wire.data_frame.word.label, base.HEX),
    interrupts = ProtoField.uint8("qcdoc.interrupts", says.raised.label, base.HEX, nil, mask(says.raised)),
    window = flag("window", says.window),
    check = ProtoField.uint8("qcdoc.check", wire.supervisor_frame.check.label, base.HEX),
    sequence = ProtoField.uint8("qcdoc.sequence", header.sequence.label),
    ack = ProtoField.uint8("qcdoc.ack", header.number.label),
    ack_supervisor = ProtoField.uint8("qcdoc.ack.supervisor", "Acknowledges supervisor word"),
    ack_interrupt = ProtoField.uint8("qcdoc.ack.interrupt", "Acknowledges interrupt"),
    hold = ProtoField.bool("qcdoc.hold", "No place for data"),
    marks = ProtoField.uint32("qcdoc.marks", "Marks"),
    next = number("next", record.next),
    lost = flag("lost", record.lost),
    expected = number("expected", record.expected, 16),
    waiting = number("waiting", record.waiting, 16),
    status = ProtoField.uint8("qcdoc.training", "Training status", base.HEX),
    session = flag("training.session", status.session),
    used = flag("training.used", status.used),
    heard = flag("training.heard", status.heard),
    port = number("training.port", status.port, 0, names),
  }
  qcdoc.fields = d

  -- What the header of a frame acknowledges; `value`: that byte.
  local function dissect_acknowledgement(value, byte, tree)
    if part(value, header.class) == classes.data and part(value, header.other) == 1 then
      local sequence = part(value, header.other_sequence)
      if part(value, header.of_interrupt) == 0 then
        tree:add(d.ack_supervisor, byte, sequence)
        return string.format("acknowledges supervisor word %d", sequence)
      end
      tree:add(d.ack_interrupt, byte, sequence)
      return string.format("acknowledges interrupt %d", sequence)
    end
    local number = part(value, header.number)
    tree:add(d.ack, byte, number)
    return string.format("acknowledges data up to %d", number)
  end

  local function dissect_training(data, tree)
    local byte = data(2, 1)
    for _, field in ipairs({ d.status, d.session, d.used, d.heard, d.port }) do tree:add(field, byte) end
    local value = byte:uint()
    return string.format("training, port %d%s%s", part(value, status.port),
      part(value, status.session) == 1 and ", session" or "", part(value, status.heard) == 1 and ", heard" or "")
  end

  local function dissect_frame(class, data, bytes, tree)
    local byte = data(0, 1)
    tree:add(d.parity, byte)
    local acknowledges = dissect_acknowledgement(byte:uint(), byte, tree)
    local name = kinds[class]
    if class ~= classes.data then
      local sequence = part(byte:uint(), header.sequence)
      tree:add(d.sequence, byte, sequence)
      name = string.format("%s %d", name, sequence)
    end
    if bytes ~= lengths[class] then return name .. ", " .. acknowledges end
    if class ~= classes.data then tree:add(d.check, data(bytes - 1, 1)) end
    if class == classes.interrupt then
      tree:add(d.interrupts, data(1, 1))
      tree:add(d.window, data(1, 1))
      name = string.format("%s: %02x", name, part(data(1, 1):uint(), says.raised))
    else
      tree:add_le(d.word, data(1, 8))
      name = string.format("%s: %s", name, data(1, 8):le_uint64():tohex())
    end
    return name .. ", " .. acknowledges
  end

  -- Marks and a record, as far as it was sent.
  local function dissect_marks(data, bytes, tree)
    local count = 0
    while count < bytes and data(count, 1):uint() == codes.mark do count = count + 1 end
    tree:add(d.marks, data(0, count), count)
    local text = string.format("%d marks", count)
    if bytes < count + 4 then return text end
    local first, second = data(count, 1), data(count + 2, 1)
    for _, field in ipairs({ d.next, d.lost }) do tree:add(field, first) end
    for _, field in ipairs({ d.expected, d.waiting }) do tree:add(field, second) end
    return string.format("%s, goes on with data word %d, expects %d%s", text, part(first:uint(), record.next),
      part(second:uint(), record.expected, 16), part(first:uint(), record.lost) == 1 and ", lost" or "")
  end

  -- Bare headers that acknowledge no data: kind, and number.
  local bare = { [codes.ack_supervisor_0] = { ack_supervisor, 0 }, [codes.ack_supervisor_1] = { ack_supervisor, 1 },
    [codes.ack_interrupt_0] = { ack_interrupt, 0 }, [codes.ack_interrupt_1] = { ack_interrupt, 1 } }

  local function dissect_bare(data, bytes, tree)
    local byte, value = data(0, 1), data(0, 1):uint()
    if value == codes.mark then return marks, dissect_marks(data, bytes, tree) end
    if value == codes["break"] then return broken, "break" end
    local what = bare[value]
    if what then
      tree:add(what[1] == ack_supervisor and d.ack_supervisor or d.ack_interrupt, byte, what[2])
      return what[1], "acknowledges " .. wire.bare_code[value]
    end
    local number = value == codes.idle_3_hold and 3 or part(value, header.number)
    local hold = value == codes.idle_3_hold or part(value, header.parity) == 3
    tree:add(d.ack, byte, number)
    tree:add(d.hold, byte, hold)
    return idle, string.format("idle, acknowledges data up to %d%s", number, hold and ", hold" or "")
  end

  local function dissect_qcdoc(data, bytes, root)
    local tree = root:add(qcdoc, data)
    local first = data(0, 1):uint()
    if bytes == 4 and first == wire.training_code.first and data(1, 1):uint() == wire.training_code.second then
      tree:add(d.kind, data(0, 1), training)
      return dissect_training(data, tree)
    end
    tree:add(d.header, data(0, 1))
    local class = part(first, header.class)
    local kind, text
    if class == classes.bare then
      kind, text = dissect_bare(data, bytes, tree)
    else
      kind, text = class, dissect_frame(class, data, bytes, tree)
    end
    tree:add(d.kind, data(0, 1), kind)
    return text
  end

  local function dissect(data, _, bytes, root) return dissect_qcdoc(data, bytes, root) end
  machines[2] = { title = "QCDOC", links = names, data = 1, control = 0, dissect = dissect }
end
