package tick

// counter reads the time-stamp counter. It is not serialized: what a ticker needs is no order.
func counter() uint64

// cpuid is CPUID with ECX 0.
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)

// counterBlind is how many counts pass in a microsecond or two, and whether the counter promises to
// keep its rate in all states of power: CPUID 0x80000007, EDX bit 8.
func counterBlind() (counts uint64, ok bool) {
	const extended, power = 0x8000_0000, 0x8000_0007
	if highest, _, _, _ := cpuid(extended); highest < power {
		return 0, false
	}
	_, _, _, edx := cpuid(power)
	return 4096, edx&(1<<8) != 0
}
