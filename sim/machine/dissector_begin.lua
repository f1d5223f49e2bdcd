-- SPDX-License-Identifier: Apache-2.0
-- Wireshark dissector for what `hypertorus run --pcap STEM` writes:
--   wireshark -X lua_script:hypertorus.lua STEM.pcapng
-- (or put it into Wireshark's folder for personal plugins). Built from parts: this one, each machine's, and
-- dissector_end.lua. The pseudo-header's layout is in sim/machine/README.md.

-- By the number of the wire format: title; links, their names from 0; data and control, bytes of a unit of its frames
-- and of that unit's control bits; dissect(data, control, units, root), which returns a line about the frame.
local machines = {}
local header_size = 28

