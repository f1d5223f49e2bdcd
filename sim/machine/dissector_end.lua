-- SPDX-License-Identifier: Apache-2.0
-- Part of hypertorus.lua: what all machines share. Comes last, when the machines are known.
local titles = {}
for number, machine in pairs(machines) do titles[number] = machine.title end

local hypertorus = Proto("hypertorus", "Hypertorus cable")
local h = {
  version = ProtoField.uint8("hypertorus.version", "Layout version"),
  machine = ProtoField.uint8("hypertorus.machine", "Machine", base.DEC, titles),
  damaged = ProtoField.bool("hypertorus.damaged", "Damaged on the way", 8, nil, 0x01),
  unseen = ProtoField.bool("hypertorus.unseen", "Damage the receiver's check does not see", 8, nil, 0x02),
  cut = ProtoField.bool("hypertorus.cut", "Cut short by the sender", 8, nil, 0x04),
  unknown = ProtoField.bool("hypertorus.unknown", "What arrived is not known", 8, nil, 0x08),
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
-- The frame as sent, and as it arrived if that differs.
local function dissect_sent(buffer, machine, sent, arrived, tree, root)
  local data, control = machine.data, machine.control
  local frame = buffer(header_size, data * sent)
  local flags = control > 0 and buffer(header_size + data * sent, control * sent) or nil
  local text = machine.dissect(frame, flags, sent, root)
  local at = header_size + (data + control) * sent
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
  for _, field in ipairs({ h.damaged, h.unseen, h.cut, h.unknown }) do tree:add(field, buffer(2, 1)) end
  local machine = machines[buffer(1, 1):uint()]
  local names = machine and machine.links or {}
  local from_name, to_name = names[buffer(3, 1):uint()] or "?", names[buffer(4, 1):uint()] or "?"
  tree:add(h.from_link, buffer(3, 1)):append_text(" (" .. from_name .. ")")
  tree:add(h.to_link, buffer(4, 1)):append_text(" (" .. to_name .. ")")
  tree:add(h.from_node, buffer(8, 4))
  tree:add(h.to_node, buffer(12, 4))
  tree:add(h.time, buffer(16, 8))
  tree:add(h.sent, buffer(24, 2))
  tree:add(h.arrived, buffer(26, 2))
  local sent, arrived = buffer(24, 2):uint(), buffer(26, 2):uint()
  packet.cols.protocol = machine and machine.title or "hypertorus"
  packet.cols.src = string.format("node %d %s", buffer(8, 4):uint(), from_name)
  packet.cols.dst = string.format("node %d %s", buffer(12, 4):uint(), to_name)
  local text = "unknown layout"
  if buffer(0, 1):uint() == 1 and machine and sent > 0 then
    text = dissect_sent(buffer, machine, sent, arrived, tree, root)
  end
  local flags = buffer(2, 1):uint()
  if flags % 2 == 1 then text = text .. " [damaged]" end
  if math.floor(flags / 2) % 2 == 1 then text = text .. " [unseen]" end
  packet.cols.info = text
  return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, hypertorus)
