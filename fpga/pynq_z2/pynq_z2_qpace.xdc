# SPDX-License-Identifier: Apache-2.0
# PYNQ-Z2, XC7Z020-1CLG400C. The processor's pins come with its core; crossings of clocks: fpga/common/crossings.tcl.
set_property -dict {PACKAGE_PIN H16 IOSTANDARD LVCMOS33} [get_ports clk125]
create_clock -name clk125 -period 8.000 [get_ports clk125]
# Pmod A: lanes out on the upper row, in on the lower one.
set_property -dict {PACKAGE_PIN Y18 IOSTANDARD LVCMOS33 SLEW FAST} [get_ports {a_out[0]}]
set_property -dict {PACKAGE_PIN Y19 IOSTANDARD LVCMOS33 SLEW FAST} [get_ports {a_out[1]}]
set_property -dict {PACKAGE_PIN Y16 IOSTANDARD LVCMOS33 SLEW FAST} [get_ports {a_out[2]}]
set_property -dict {PACKAGE_PIN Y17 IOSTANDARD LVCMOS33 SLEW FAST} [get_ports {a_out[3]}]
set_property -dict {PACKAGE_PIN U18 IOSTANDARD LVCMOS33 PULLUP true} [get_ports {a_in[0]}]
set_property -dict {PACKAGE_PIN U19 IOSTANDARD LVCMOS33 PULLUP true} [get_ports {a_in[1]}]
set_property -dict {PACKAGE_PIN W18 IOSTANDARD LVCMOS33 PULLUP true} [get_ports {a_in[2]}]
set_property -dict {PACKAGE_PIN W19 IOSTANDARD LVCMOS33 PULLUP true} [get_ports {a_in[3]}]
# Pmod B
set_property -dict {PACKAGE_PIN W14 IOSTANDARD LVCMOS33 SLEW FAST} [get_ports {b_out[0]}]
set_property -dict {PACKAGE_PIN Y14 IOSTANDARD LVCMOS33 SLEW FAST} [get_ports {b_out[1]}]
set_property -dict {PACKAGE_PIN T11 IOSTANDARD LVCMOS33 SLEW FAST} [get_ports {b_out[2]}]
set_property -dict {PACKAGE_PIN T10 IOSTANDARD LVCMOS33 SLEW FAST} [get_ports {b_out[3]}]
set_property -dict {PACKAGE_PIN V16 IOSTANDARD LVCMOS33 PULLUP true} [get_ports {b_in[0]}]
set_property -dict {PACKAGE_PIN W16 IOSTANDARD LVCMOS33 PULLUP true} [get_ports {b_in[1]}]
set_property -dict {PACKAGE_PIN V12 IOSTANDARD LVCMOS33 PULLUP true} [get_ports {b_in[2]}]
set_property -dict {PACKAGE_PIN W13 IOSTANDARD LVCMOS33 PULLUP true} [get_ports {b_in[3]}]
set_property -dict {PACKAGE_PIN R14 IOSTANDARD LVCMOS33} [get_ports {led[0]}]
set_property -dict {PACKAGE_PIN P14 IOSTANDARD LVCMOS33} [get_ports {led[1]}]
set_property -dict {PACKAGE_PIN N16 IOSTANDARD LVCMOS33} [get_ports {led[2]}]
set_property -dict {PACKAGE_PIN M14 IOSTANDARD LVCMOS33} [get_ports {led[3]}]
# Samples are taken at any phase; lanes find it.
set_false_path -from [get_ports {a_in[*] b_in[*]}]
set_false_path -to [get_ports {a_out[*] b_out[*] led[*]}]
