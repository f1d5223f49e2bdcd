# SPDX-License-Identifier: Apache-2.0
# For Vivado, read behind synthesis: what holds for paths from one clock to another. The cells that make them are those of
# rtl/common (cdc_bits, cdc_counter, cdc_pulse, cdc_request, cdc_reset, memories of two clocks), whose one promise to keep is
# that nothing lies longer on the way than a cycle of the faster clock: what is announced by a pulse is there when the pulse
# is, and a Gray number that crosses is a step older or newer, never another one.
#
#   all pairs of clocks that nothing relates    set_max_delay -datapath_only: a cycle of the faster one
#   Gray numbers (cdc_counter)                  set_bus_skew: a cycle of the faster one
#   asynchronous resets (cdc_reset)             set_false_path
set clocks [get_clocks -filter {!IS_VIRTUAL}]
set pairs 0
foreach from $clocks {
    foreach to $clocks {
        if {$from eq $to} continue
        # Related are clocks that come from one master: those are timed as they are.
        set master_from [get_property MASTER_CLOCK $from]
        set master_to [get_property MASTER_CLOCK $to]
        if {$master_from ne "" && ($master_from eq $master_to || $master_from eq $to)} continue
        if {$master_to ne "" && $master_to eq $from} continue
        set period [expr {min([get_property PERIOD $from], [get_property PERIOD $to])}]
        set_max_delay -datapath_only -from $from -to $to $period
        incr pairs
    }
}
set gray [get_cells -hierarchical -filter {ORIG_REF_NAME == cdc_counter || REF_NAME == cdc_counter}]
foreach counter $gray {
    set last [get_cells -quiet "$counter/gray_reg_reg[*]"]
    set first [get_cells -quiet "$counter/u_sync/meta_reg_reg[*]"]
    if {[llength $last] < 2 || [llength $first] < 2} continue
    set period [expr {min([get_property PERIOD [get_clocks -of_objects [get_pins [lindex $last 0]/C]]],
                          [get_property PERIOD [get_clocks -of_objects [get_pins [lindex $first 0]/C]]])}]
    set_bus_skew -from $last -to $first $period
}
foreach reset [get_cells -hierarchical -filter {ORIG_REF_NAME == cdc_reset || REF_NAME == cdc_reset}] {
    set_false_path -to [get_pins -quiet "$reset/shift_reg_reg[*]/PRE"]
}
puts "crossings: $pairs pairs of clocks, [llength $gray] Gray numbers"
