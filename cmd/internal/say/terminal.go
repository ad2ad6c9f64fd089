package say

import (
	"io"
	"os"

	"github.com/mattn/go-isatty"
)

// IsTerminal reports whether a person reads what is written to w.
func IsTerminal(w io.Writer) bool {
	if live, ok := w.(*Live); ok {
		w = live.w
	}
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
