//go:build unix

package cli

import (
	"runtime"
	"syscall"
	"time"
)

// processorTime is what this process and the gits that ended have used.
func processorTime() time.Duration {
	var sum int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if syscall.Getrusage(who, &r) == nil {
			sum += r.Utime.Nano() + r.Stime.Nano()
		}
	}
	return time.Duration(sum)
}

// peakMemory is the most memory that this process had, in bytes.
func peakMemory() int64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) * 1024
}
