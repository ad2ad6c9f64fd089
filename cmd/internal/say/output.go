package say

import (
	"bytes"
	"io"
	"sync"
)

// A Live writes to a terminal whose last line is replaced again and again. What else is written
// stands above that line.
type Live struct {
	mu   sync.Mutex
	w    io.Writer
	line string
}

func NewLive(w io.Writer) *Live { return &Live{w: w} }

const clearLine = "\r\x1b[K"

// Show replaces the last line. An empty one takes it away.
func (l *Live) Show(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = Plain(line)
	_, _ = io.WriteString(l.w, clearLine+l.line) //nolint:errcheck // nobody looks at the terminal any more
}

func (l *Live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.line == "" {
		return l.w.Write(p)
	}
	if _, err := io.WriteString(l.w, clearLine); err != nil {
		return 0, err
	}
	n, err := l.w.Write(p)
	if err == nil {
		_, err = io.WriteString(l.w, l.line)
	}
	return n, err
}

// mostKept bounds what a Kept keeps, in bytes.
const mostKept = 1 << 20

// A Kept keeps what is written until it is let out, and forgets the oldest lines beyond a mebibyte.
type Kept struct {
	mu   sync.Mutex
	data []byte
	cut  bool
}

func (k *Kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.data = append(k.data, p...)
	if len(k.data) > mostKept {
		k.data, k.cut = bytes.Clone(k.data[len(k.data)-mostKept/2:]), true
	}
	return len(p), nil
}

func (k *Kept) LetOut(w io.Writer) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	data := k.data
	if k.cut {
		_, data, _ = bytes.Cut(data, []byte("\n"))
		data = append([]byte("…\n"), data...)
	}
	k.data, k.cut = nil, false
	_, err := w.Write(data)
	return err
}
