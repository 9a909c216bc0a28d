package tick

// counter reads CNTVCT_EL0, the virtual count of the generic timer.
func counter() uint64

// counterFrequency reads CNTFRQ_EL0: what the firmware says that the counts in a second are.
func counterFrequency() uint64

// counterBlind is how many counts pass in two microseconds, if the firmware knows. The architecture
// promises that the counter keeps its rate.
func counterBlind() (counts uint64, ok bool) {
	frequency := counterFrequency()
	return frequency/500_000 + 1, frequency != 0
}
