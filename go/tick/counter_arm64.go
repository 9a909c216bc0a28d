package tick

// counter reads CNTVCT_EL0, the virtual count of the generic timer.
func counter() uint64

// counterFrequency reads CNTFRQ_EL0: the counts per second according to the firmware.
func counterFrequency() uint64

// counterBlind returns the number of counts in two microseconds, if the firmware knows the rate.
// The architecture guarantees that the counter keeps its rate.
func counterBlind() (counts uint64, ok bool) {
	frequency := counterFrequency()
	return frequency/500_000 + 1, frequency != 0
}
