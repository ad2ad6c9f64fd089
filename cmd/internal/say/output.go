package say

import (
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
