package say

import (
	"bytes"
	"io"
	"sync"
)

// mostKept bounds what a Kept keeps, in bytes.
const mostKept = 1 << 20

// A Kept keeps what is written until it is let out, and forgets the oldest lines beyond a mebibyte.
type Kept struct {
	mu   sync.Mutex
	data []byte
	cut  bool
}

// Write keeps a copy of p.
func (k *Kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.data = append(k.data, p...)
	if len(k.data) > mostKept {
		k.data, k.cut = bytes.Clone(k.data[len(k.data)-mostKept/2:]), true
	}
	return len(p), nil
}

// LetOut writes what was kept to w.
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
