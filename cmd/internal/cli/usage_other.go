//go:build !unix

package cli

import "time"

// processorTime is 0 where it cannot be asked.
func processorTime() time.Duration { return 0 }

// peakMemory is 0 where it cannot be asked.
func peakMemory() int64 { return 0 }
