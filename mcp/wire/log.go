package wire

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// The bounds of a log. A client that never reads stderr fills a pipe of 64 KiB;
// a writer that waits for it then would stop the server.
const (
	logLines = 64       // that wait to be written
	logLine  = 64 << 10 // bytes of one
)

// A Log passes lines on to a writer that may not take them. Its Write never
// blocks and never fails: what does not fit is dropped, and how much is said
// when the writer takes lines again.
type Log struct {
	lines chan []byte

	mu      sync.Mutex
	partial []byte // the start of a line
	dropped int    // lines since the last that fit
}

// NewLog returns a log that writes to w until the process ends.
func NewLog(w io.Writer) *Log {
	l := &Log{lines: make(chan []byte, logLines)}
	go func() {
		for line := range l.lines {
			// Whoever reads stderr may be gone, which is no reason to stop.
			_, _ = w.Write(line)
		}
	}()
	return l
}

// Write queues the whole lines of p and keeps the rest for the next call.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if room := logLine - len(l.partial); len(line) > room {
			line = line[:max(room, 0)]
		}
		l.partial = append(l.partial, line...)
		if whole {
			l.queue(append(l.partial, '\n'))
			l.partial = nil
		}
		rest = after
	}
	return len(p), nil
}

func (l *Log) queue(line []byte) {
	if l.dropped > 0 {
		line = append(fmt.Appendf(nil, "(%d lines were not read and are lost)\n", l.dropped), line...)
	}
	select {
	case l.lines <- line:
		l.dropped = 0
	default:
		l.dropped++
	}
}
