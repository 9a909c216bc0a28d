package tick

// counter reads the time-stamp counter without serializing: a ticker does not need an order.
func counter() uint64

// cpuid executes CPUID with ECX = 0.
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)

// counterBlind returns the number of counts in one to two microseconds, and whether the counter
// keeps its rate in all power states (CPUID 0x80000007, EDX bit 8).
func counterBlind() (counts uint64, ok bool) {
	const extended, power = 0x8000_0000, 0x8000_0007
	if highest, _, _, _ := cpuid(extended); highest < power {
		return 0, false
	}
	_, _, _, edx := cpuid(power)
	return 4096, edx&(1<<8) != 0
}
