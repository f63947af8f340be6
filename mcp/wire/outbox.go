package wire

import (
	"io"
	"sync"
)

// outboxSize is how many lines may wait for a client that reads slowly. Above
// it nothing more is read from that client, so memory stays bounded.
const outboxSize = 256

// An outbox writes lines in the order in which they were put in. One goroutine
// writes, so that a client that does not read holds up nobody's lock.
type outbox struct {
	done chan struct{} // closed when nothing will be written any more

	mu     sync.Mutex
	change sync.Cond // of what follows
	lines  [][]byte
	closed bool
}

func newOutbox(w io.Writer) *outbox {
	o := &outbox{done: make(chan struct{})}
	o.change.L = &o.mu
	go o.run(w)
	return o
}

func (o *outbox) run(w io.Writer) {
	defer close(o.done)
	for {
		line, ok := o.next()
		if !ok {
			return
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			o.close() // the client is gone
			return
		}
	}
}

// next waits for a line. There is none after close once all were taken.
func (o *outbox) next() ([]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.lines) == 0 {
		if o.closed {
			return nil, false
		}
		o.change.Wait()
	}
	line := o.lines[0]
	o.lines = o.lines[1:]
	o.change.Broadcast()
	return line, true
}

// send queues a line, which must not be used afterwards. It never blocks. What
// comes after the end is lost: nobody is there to read it.
func (o *outbox) send(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.lines = append(o.lines, line)
		o.change.Broadcast()
	}
}

// full reports whether the client is behind with reading.
func (o *outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.lines) >= outboxSize
}

// await waits until the client has caught up, or will not any more.
func (o *outbox) await() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.lines) >= outboxSize && !o.closed {
		o.change.Wait()
	}
}

// close lets what is queued be written and then ends. It does not wait.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.change.Broadcast()
}
