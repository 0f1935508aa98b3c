package main

import (
	"os"
	"strconv"
	"strings"
)

// tickNanos is the unit of processor time in /proc: USER_HZ is 100 on every
// platform that Go has.
const tickNanos = 10_000_000

// othersTime is the processor time that other processes took so far, in
// nanoseconds, with what a host took from this machine; nil where the system
// does not tell.
func othersTime() func() int64 {
	read := func() int64 {
		all, ok := machineTicks()
		own, known := ownTicks()
		if !ok || !known {
			return -1
		}
		return (all - own) * tickNanos
	}
	if read() < 0 {
		return nil
	}
	return read
}

// machineTicks is the time in which a processor was not idle: the first line of
// /proc/stat, without idle and waiting; guests are in user already.
func machineTicks() (sum int64, ok bool) {
	data, err := os.ReadFile("/proc/stat")
	line, _, found := strings.Cut(string(data), "\n")
	f := strings.Fields(line)
	if err != nil || !found || len(f) < 9 || f[0] != "cpu" {
		return 0, false
	}
	for _, i := range []int{1, 2, 3, 6, 7, 8} { // user nice system irq softirq steal
		n, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil {
			return 0, false
		}
		sum += n
	}
	return sum, true
}

// ownTicks is the processor time of this process.
func ownTicks() (int64, bool) {
	data, err := os.ReadFile("/proc/self/stat")
	at := strings.LastIndexByte(string(data), ')') // the name before may have anything in it
	if err != nil || at < 0 {
		return 0, false
	}
	f := strings.Fields(string(data)[at+1:])
	if len(f) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(f[11], 10, 64)
	system, err2 := strconv.ParseInt(f[12], 10, 64)
	return user + system, err1 == nil && err2 == nil
}

// peakMemory is the most memory that this process had so far, in bytes; 0 where
// the system does not tell.
func peakMemory() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(field(string(data), "VmHWM"), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n * 1024
}
