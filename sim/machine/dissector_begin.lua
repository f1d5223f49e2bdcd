-- SPDX-License-Identifier: Apache-2.0
-- Wireshark dissector for what `hypertorus run --pcap STEM` writes:
--   wireshark -X lua_script:hypertorus.lua STEM.pcapng
-- (or put it into Wireshark's folder for personal plugins). Built from parts: this one, each machine's, and
-- dissector_end.lua. The pseudo-header's layout is in sim/machine/README.md.

-- By the number of the wire format: title; links, their names from 0; data and control, bytes of a unit of its frames
-- and of that unit's control bits; dissect(data, control, units, root), which returns a line about the frame.
local machines = {}
local header_size = 28

-- Fields of wire formats, { low = , width = }, as rtl/regmap.py writes them. `from`: the bit at which the word that is
-- looked at begins (default 0).
local function mask(field, from) return (2 ^ field.width - 1) * 2 ^ (field.low - (from or 0)) end
local function part(value, field, from) return math.floor(value / 2 ^ (field.low - (from or 0))) % 2 ^ field.width end

