# SPDX-License-Identifier: Apache-2.0
# The transceiver of SFP0, by Vivado's wizard: 5 Gb/s, 40 bits a cycle of 125 MHz both ways, uncoded, unaligned, CPLL of
# 156.25 MHz, all helpers (clock buffers, reset sequence) inside.
create_ip -name gtwizard_ultrascale -vendor xilinx.com -library ip -module_name kcu105_gth
set_property -dict {
    CONFIG.CHANNEL_ENABLE {X0Y10}
    CONFIG.TX_MASTER_CHANNEL {X0Y10}
    CONFIG.RX_MASTER_CHANNEL {X0Y10}
    CONFIG.TX_LINE_RATE {5}
    CONFIG.RX_LINE_RATE {5}
    CONFIG.TX_PLL_TYPE {CPLL}
    CONFIG.RX_PLL_TYPE {CPLL}
    CONFIG.TX_REFCLK_FREQUENCY {156.25}
    CONFIG.RX_REFCLK_FREQUENCY {156.25}
    CONFIG.TX_DATA_ENCODING {RAW}
    CONFIG.RX_DATA_DECODING {RAW}
    CONFIG.TX_USER_DATA_WIDTH {40}
    CONFIG.RX_USER_DATA_WIDTH {40}
    CONFIG.TX_INT_DATA_WIDTH {40}
    CONFIG.RX_INT_DATA_WIDTH {40}
    CONFIG.FREERUN_FREQUENCY {125}
    CONFIG.LOCATE_TX_USER_CLOCKING {CORE}
    CONFIG.LOCATE_RX_USER_CLOCKING {CORE}
    CONFIG.LOCATE_RESET_CONTROLLER {CORE}
} [get_ips kcu105_gth]
