# SPDX-License-Identifier: Apache-2.0
# The block design of the PYNQ-Z2: the processor (FCLK_CLK0 50 MHz; GP0 for registers, HP0 for memory, an interrupt) and
# pynq_z2_qpace. Registers are at 0x4000_0000, 32 KiB; the node reaches the first 512 MiB.
create_bd_design pynq_z2
create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7 ps
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 -config {make_external "FIXED_IO, DDR"} [get_bd_cells ps]
set_property -dict {
    CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ 50
    CONFIG.PCW_USE_M_AXI_GP0 1
    CONFIG.PCW_USE_S_AXI_HP0 1
    CONFIG.PCW_USE_FABRIC_INTERRUPT 1
    CONFIG.PCW_IRQ_F2P_INTR 1
    CONFIG.PCW_UIPARAM_DDR_PARTNO {MT41J256M16 RE-125}
    CONFIG.PCW_PRESET_BANK1_VOLTAGE {LVCMOS 1.8V}
} [get_bd_cells ps]
create_bd_cell -type module -reference pynq_z2_qpace node
foreach pin {clk125 a_in b_in a_out b_out led} { make_bd_pins_external -name $pin [get_bd_pins node/$pin] }
apply_bd_automation -rule xilinx.com:bd_rule:axi4 -config {Master /ps/M_AXI_GP0 Clk_xbar Auto} [get_bd_intf_pins node/s_axi]
apply_bd_automation -rule xilinx.com:bd_rule:axi4 -config {Master /node/m_axi Clk_xbar Auto} [get_bd_intf_pins ps/S_AXI_HP0]
connect_bd_net [get_bd_pins node/irq] [get_bd_pins ps/IRQ_F2P]
set registers [get_bd_addr_segs ps/Data/SEG_node_*]
set_property offset 0x40000000 $registers
set_property range 32K $registers
validate_bd_design
save_bd_design
set design [get_files pynq_z2.bd]
generate_target all $design
add_files -norecurse [make_wrapper -files $design -top]
update_compile_order -fileset sources_1
