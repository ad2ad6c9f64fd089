package say

import "strings"

const cellWidth = 80

// Plain returns the text without control characters, cut to a readable width.
func Plain(s string) string {
	s = Harmless(s)
	if r := []rune(s); len(r) > cellWidth {
		return string(r[:cellWidth-1]) + "…"
	}
	return s
}

// Harmless returns the text without the characters that move a terminal's cursor or change the
// direction of writing.
func Harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if moves(r) {
			return -1
		}
		return r
	}, s)
}

// moves reports whether a character acts on a terminal: control characters, separators of lines,
// marks of direction.
func moves(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// HarmlessLines is Harmless for a text of several lines.
func HarmlessLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Harmless(line)
	}
	return strings.Join(lines, "\n")
}
