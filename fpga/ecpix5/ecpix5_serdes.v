// SPDX-License-Identifier: Apache-2.0
// One channel of an ECP5-5G's transceiver at 2.5 Gb/s as lane_bundle wants it: words of 40 bits, uncoded, on two clocks
// of 62.5 MHz, the sender's and the recovered one. The chip's own 8b/10b, alignment and clock compensation are passed
// by: rtl/lane does all of that.
//
//   word      --> gear_out --> DCUA: 20 bits a cycle of 125 MHz --> tx
//   word_clk  <-- CLKDIVF  <-- its 125 MHz
//   rx_word   <-- gear_in  <-- DCUA <------------------------------ rx
//   rx_clk    <-- CLKDIVF  <-- 125 MHz recovered from rx
//
// The reference is the board's 100 MHz, times 25. Resets in the order that the chip asks for: all, until the sender's
// PLL has locked; the receiver until its clock recovery has; then the digital part. A receiver that loses its signal
// begins there anew.
//
// Settings: those of Lattice's tools for an uncoded ten-bit protocol, as the free tools' users have published them;
// what they do is in Lattice's FPGA-TN-02206 (SERDES/PCS). Nobody has tried these on a board.
`default_nettype none
module ecpix5_serdes #(
    parameter SETTLE_BITS = 16           // of clk: every step of the reset lasts that long at least (1.3 ms)
) (
    input  wire        clk,              // 50 MHz
    input  wire        rst,
    input  wire        ref_clk,          // 100 MHz
    output wire        word_clk,         // 62.5 MHz
    input  wire [39:0] word,             // word_clk; bit 0 goes first
    output wire        rx_clk,           // 62.5 MHz, recovered
    output wire [39:0] rx_word,          // rx_clk
    output wire        rx_signal,        // any clock
    input  wire        rx_p,
    input  wire        rx_n,
    output wire        tx_p,
    output wire        tx_n
);
    localparam [1:0] ALL = 2'd0, RECEIVER = 2'd1, DIGITAL = 2'd2, READY = 2'd3;

    wire        tx_pclk, rx_pclk;
    wire [19:0] tx_half, rx_half;
    wire [3:0]  rx_more;                 // flags of the chip's own decoder
    wire        tx_unlocked, rx_unlocked, rx_lost;
    wire        tx_unlocked_now, rx_unlocked_now, rx_lost_now;

    // ---- resets
    reg  [1:0]             state_reg;
    reg  [SETTLE_BITS-1:0] settle_reg;
    wire                   settled = &settle_reg;
    cdc_bits #(.WIDTH(3)) look (
        .clk(clk), .rst(rst), .src({tx_unlocked, rx_unlocked, rx_lost}),
        .dst({tx_unlocked_now, rx_unlocked_now, rx_lost_now}));
    always @(posedge clk) begin
        settle_reg <= settled ? settle_reg : settle_reg + 1'b1;
        case (state_reg)
            ALL:
                if (settled && !tx_unlocked_now) begin
                    state_reg  <= RECEIVER;
                    settle_reg <= {SETTLE_BITS{1'b0}};
                end
            RECEIVER:
                if (settled && !rx_lost_now) begin
                    state_reg  <= DIGITAL;
                    settle_reg <= {SETTLE_BITS{1'b0}};
                end
            DIGITAL:
                if (settled && !rx_unlocked_now)
                    state_reg <= READY;
            default: ;
        endcase
        if (state_reg != ALL && state_reg != RECEIVER && rx_lost_now) begin
            state_reg  <= RECEIVER;
            settle_reg <= {SETTLE_BITS{1'b0}};
        end
        if (rst || (state_reg != ALL && tx_unlocked_now)) begin
            state_reg  <= ALL;
            settle_reg <= {SETTLE_BITS{1'b0}};
        end
    end
    assign rx_signal = state_reg == READY;

    // The sender's digital part leaves reset with its PLL, not with the receiver: the peer waits for it.
    reg reset_all_reg, reset_rx_reg, reset_rx_digital_reg;
    always @(posedge clk) begin
        reset_all_reg        <= state_reg == ALL;
        reset_rx_reg         <= state_reg == ALL || state_reg == RECEIVER;
        reset_rx_digital_reg <= state_reg != READY;
    end

    // ---- gears
    CLKDIVF #(.DIV("2.0"), .GSR("DISABLED")) tx_half_rate (
        .CLKI(tx_pclk), .RST(1'b0), .ALIGNWD(1'b0), .CDIVX(word_clk));
    CLKDIVF #(.DIV("2.0"), .GSR("DISABLED")) rx_half_rate (
        .CLKI(rx_pclk), .RST(1'b0), .ALIGNWD(1'b0), .CDIVX(rx_clk));
    ecpix5_gear_out gear_out (.clk(word_clk), .word(word), .half_clk(tx_pclk), .half(tx_half));
    ecpix5_gear_in  gear_in  (.half_clk(rx_pclk), .half(rx_half), .clk(rx_clk), .word(rx_word));

    // ---- the transceiver: channel 0 of the right one
    (* LOC = "DCU1", CHAN = "CH0" *)
    DCUA #(
        // what is switched on, the sender's PLL: 100 MHz * 25
        .D_MACROPDB("0b1"), .D_IB_PWDNB("0b1"), .D_TXPLL_PWDNB("0b1"), .D_REFCK_MODE("0b100"),
        .D_TX_MAX_RATE("2.5"), .D_TX_VCO_CK_DIV("0b000"), .D_BITCLK_LOCAL_EN("0b1"),
        .D_LOW_MARK("0d4"), .D_HIGH_MARK("0d12"),
        .D_CMUSETBIASI("0b00"), .D_CMUSETI4CPP("0d3"), .D_CMUSETI4CPZ("0d3"), .D_CMUSETI4VCO("0b00"),
        .D_CMUSETICP4P("0b01"), .D_CMUSETICP4Z("0b101"), .D_CMUSETINITVCT("0b00"), .D_CMUSETISCL4VCO("0b000"),
        .D_CMUSETP1GM("0b000"), .D_CMUSETP2AGM("0b000"), .D_CMUSETZGM("0b000"), .D_SETPLLRC("0d1"),
        .D_SETIRPOLY_AUX("0b01"), .D_SETICONST_AUX("0b01"), .D_SETIRPOLY_CH("0b01"), .D_SETICONST_CH("0b10"),
        .D_RG_EN("0b0"), .D_RG_SET("0b00"), .D_REQ_ISET("0b011"), .D_PD_ISET("0b11"),
        // bits as they are: no code, no alignment, no clock compensation; two characters a cycle
        .CH0_PROTOCOL("10BSER"), .CH0_UC_MODE("0b1"), .CH0_ENC_BYPASS("0b1"), .CH0_DEC_BYPASS("0b1"),
        .CH0_WA_BYPASS("0b1"), .CH0_CTC_BYPASS("0b1"), .CH0_LSM_DISABLE("0b1"), .CH0_ENABLE_CG_ALIGN("0b0"),
        .CH0_TX_GEAR_MODE("0b1"), .CH0_FF_TX_H_CLK_EN("0b1"), .CH0_FF_TX_F_CLK_DIS("0b1"),
        .CH0_RX_GEAR_MODE("0b1"), .CH0_FF_RX_H_CLK_EN("0b1"), .CH0_FF_RX_F_CLK_DIS("0b1"),
        // the receiver
        .CH0_RPWDNB("0b1"), .CH0_REQ_EN("0b0"), .CH0_RX_RATE_SEL("0d10"), .CH0_RTERM_RX("0d19"),
        .CH0_RXIN_CM("0b11"), .CH0_RXTERM_CM("0b11"), .CH0_CDR_MAX_RATE("2.5"), .CH0_RX_DCO_CK_DIV("0b000"),
        .CH0_SEL_SD_RX_CLK("0b1"), .CH0_AUTO_FACQ_EN("0b1"), .CH0_AUTO_CALIB_EN("0b1"), .CH0_PDEN_SEL("0b1"),
        .CH0_RLOS_SEL("0b1"), .CH0_RX_LOS_EN("0b1"), .CH0_RX_LOS_LVL("0b100"), .CH0_RX_LOS_CEQ("0b11"),
        .CH0_DCOATDCFG("0b00"), .CH0_DCOATDDLY("0b00"), .CH0_DCOBYPSATD("0b1"), .CH0_DCOCALDIV("0b000"),
        .CH0_DCOCTLGI("0b011"), .CH0_DCODISBDAVOID("0b0"), .CH0_DCOFLTDAC("0b00"), .CH0_DCOFTNRG("0b001"),
        .CH0_DCOIOSTUNE("0b010"), .CH0_DCOITUNE("0b00"), .CH0_DCOITUNE4LSB("0b010"), .CH0_DCOIUPDNX2("0b1"),
        .CH0_DCONUOFLSB("0b100"), .CH0_DCOSCALEI("0b01"), .CH0_DCOSTARTVAL("0b010"), .CH0_DCOSTEP("0b11"),
        // the sender: 50 ohms, 1 V
        .CH0_TPWDNB("0b1"), .CH0_TXAMPLITUDE("0d1000"), .CH0_RTERM_TX("0d19"),
        .CH0_TDRV_SLICE0_CUR("0b011"), .CH0_TDRV_SLICE0_SEL("0b01"), .CH0_TDRV_SLICE1_CUR("0b000"),
        .CH0_TDRV_SLICE1_SEL("0b00"), .CH0_TDRV_SLICE2_CUR("0b11"), .CH0_TDRV_SLICE2_SEL("0b01"),
        .CH0_TDRV_SLICE3_CUR("0b10"), .CH0_TDRV_SLICE3_SEL("0b01"), .CH0_TDRV_SLICE4_CUR("0b00"),
        .CH0_TDRV_SLICE4_SEL("0b00"), .CH0_TDRV_SLICE5_CUR("0b00"), .CH0_TDRV_SLICE5_SEL("0b00")
    ) dcu (
        .D_REFCLKI(ref_clk), .D_FFC_MACROPDB(1'b1), .D_FFC_MACRO_RST(rst), .D_FFC_DUAL_RST(rst),
        .D_FFC_TRST(reset_all_reg), .D_FFS_PLOL(tx_unlocked),
        .CH0_RX_REFCLK(ref_clk), .CH0_HDINP(rx_p), .CH0_HDINN(rx_n), .CH0_HDOUTP(tx_p), .CH0_HDOUTN(tx_n),
        .CH0_FFC_RXPWDNB(1'b1), .CH0_FFC_TXPWDNB(1'b1), .CH0_FFC_RRST(reset_rx_reg),
        .CH0_FFC_LANE_RX_RST(reset_rx_digital_reg), .CH0_FFC_LANE_TX_RST(reset_all_reg),
        .CH0_FFC_SIGNAL_DETECT(1'b0), .CH0_FFS_RLOS(rx_lost), .CH0_FFS_RLOL(rx_unlocked),
        .CH0_FF_TX_PCLK(tx_pclk), .CH0_FF_TXI_CLK(tx_pclk), .CH0_FF_RX_PCLK(rx_pclk), .CH0_FF_RXI_CLK(rx_pclk),
        .CH0_FF_TX_D_0(tx_half[0]), .CH0_FF_TX_D_1(tx_half[1]), .CH0_FF_TX_D_2(tx_half[2]), .CH0_FF_TX_D_3(tx_half[3]),
        .CH0_FF_TX_D_4(tx_half[4]), .CH0_FF_TX_D_5(tx_half[5]), .CH0_FF_TX_D_6(tx_half[6]), .CH0_FF_TX_D_7(tx_half[7]),
        .CH0_FF_TX_D_8(tx_half[8]), .CH0_FF_TX_D_9(tx_half[9]), .CH0_FF_TX_D_10(1'b0), .CH0_FF_TX_D_11(1'b0),
        .CH0_FF_TX_D_12(tx_half[10]), .CH0_FF_TX_D_13(tx_half[11]), .CH0_FF_TX_D_14(tx_half[12]),
        .CH0_FF_TX_D_15(tx_half[13]),
        .CH0_FF_TX_D_16(tx_half[14]), .CH0_FF_TX_D_17(tx_half[15]), .CH0_FF_TX_D_18(tx_half[16]),
        .CH0_FF_TX_D_19(tx_half[17]),
        .CH0_FF_TX_D_20(tx_half[18]), .CH0_FF_TX_D_21(tx_half[19]), .CH0_FF_TX_D_22(1'b0), .CH0_FF_TX_D_23(1'b0),
        .CH0_FF_RX_D_0(rx_half[0]), .CH0_FF_RX_D_1(rx_half[1]), .CH0_FF_RX_D_2(rx_half[2]), .CH0_FF_RX_D_3(rx_half[3]),
        .CH0_FF_RX_D_4(rx_half[4]), .CH0_FF_RX_D_5(rx_half[5]), .CH0_FF_RX_D_6(rx_half[6]), .CH0_FF_RX_D_7(rx_half[7]),
        .CH0_FF_RX_D_8(rx_half[8]), .CH0_FF_RX_D_9(rx_half[9]), .CH0_FF_RX_D_10(rx_more[0]),
        .CH0_FF_RX_D_11(rx_more[1]),
        .CH0_FF_RX_D_12(rx_half[10]), .CH0_FF_RX_D_13(rx_half[11]), .CH0_FF_RX_D_14(rx_half[12]),
        .CH0_FF_RX_D_15(rx_half[13]),
        .CH0_FF_RX_D_16(rx_half[14]), .CH0_FF_RX_D_17(rx_half[15]), .CH0_FF_RX_D_18(rx_half[16]),
        .CH0_FF_RX_D_19(rx_half[17]),
        .CH0_FF_RX_D_20(rx_half[18]), .CH0_FF_RX_D_21(rx_half[19]), .CH0_FF_RX_D_22(rx_more[2]),
        .CH0_FF_RX_D_23(rx_more[3]));

    wire unused = &{1'b0, rx_more, 1'b0};
endmodule
`default_nettype wire
