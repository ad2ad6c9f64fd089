package say

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// usualWidth and usualHeight are those of a terminal that does not tell its own.
const (
	usualWidth  = 80
	usualHeight = 24
)

// Size is the columns and lines of the terminal that w writes to.
func Size(w io.Writer) (width, height int) {
	if f, ok := w.(*os.File); ok {
		if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 && height > 0 {
			return width, height
		}
	}
	return usualWidth, usualHeight
}

// A Grid is a table that fits into a width: the widest of its flexible columns are cut.
type Grid struct {
	Head     []string
	Flexible []int
	Rows     [][]string
}

const (
	gap      = 2 // between two columns
	narrowed = 8 // characters that a flexible column keeps
)

// Write writes the grid. Cells have no characters that move a terminal's cursor.
func (g Grid) Write(w io.Writer, width int) error {
	lines := make([][]string, 0, 1+len(g.Rows))
	lines = append(lines, g.Head)
	lines = append(lines, g.Rows...)
	widths := make([]int, len(g.Head))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(Harmless(cell)))
		}
	}
	g.narrow(widths, width)
	var b strings.Builder
	for _, line := range lines {
		end := 0
		for i, cell := range line {
			cell = cut(Harmless(cell), widths[i])
			b.WriteString(cell)
			if i < len(line)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+gap))
			}
			end = b.Len()
		}
		text := b.String()[:end]
		b.Reset()
		if _, err := fmt.Fprintln(w, strings.TrimRight(text, " ")); err != nil {
			return err
		}
	}
	return nil
}

// narrow takes from the widest flexible column, one character at a time, until all fit.
func (g Grid) narrow(widths []int, width int) {
	total := gap * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	for ; total > width && len(g.Flexible) > 0; total-- {
		widest := slices.MaxFunc(g.Flexible, func(a, b int) int { return widths[a] - widths[b] })
		if widths[widest] <= narrowed {
			return
		}
		widths[widest]--
	}
}

// cut is a text of at most so many characters.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
