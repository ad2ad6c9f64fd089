package publication

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIsSettled(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "A lamp.": true, "<p>A <b>red</b><br/>lamp &amp; " +
			"more</p>\n<ul>\n<li>one</li><li><p>two</p></li></ul>": true,
		"<p>it's</p>": false, "<p>a": false, "a</p>": false, "<p><p>a</p></p>": false, "<b><i>a</b></i>": false,
		"<ul>a</ul>": false, "<ul>&amp;</ul>": false, "<li>a</li>": false,
		"<b><b>a</b></b>": false, "<p class=x>a</p>": false, "<P>a</P>": false, "a & b": false, "&copy;": false,
		"<br>": false, "<script></script>": false, "<": false,
		"<ul><br/></ul>": false, "<ul><li>a<ul><li>b</li></ul></li></ul>": true, "<p><ul></ul></p>": false,
		"<b><p>a</p></b>": false,
	} {
		if got := isStable(text); got != want {
			t.Errorf("isStable(%q): got %v, want %v", text, got, want)
		}
	}
}

// A text is called stable where neither the policy nor a parser would change it.
func TestWhatIsSettledStays(t *testing.T) {
	s := newSanitizer()
	pieces := []string{
		"<p>", "</p>", "<b>", "</b>", "<i>", "</i>", "<em>", "</em>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "</li>",
		"<br/>", "a", "é", " ", "\n", "\t", "&amp;", "&lt;", "&#39;", "lt;",
		"<strong>", "</strong>", "<u>", "</u>",
	}
	stable := 0
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		var open []string
		for range rapid.IntRange(0, 14).Draw(t, "pieces") {
			if len(open) > 0 && rapid.Bool().Draw(t, "closes") {
				b.WriteString("</" + open[len(open)-1] + ">")
				open = open[:len(open)-1]
				continue
			}
			piece := rapid.SampledFrom(pieces).Draw(t, "piece")
			if name, ok := strings.CutPrefix(piece, "<"); ok && !strings.Contains(name, "/") {
				open = append(open, strings.TrimSuffix(name, ">"))
			}
			b.WriteString(piece)
		}
		for len(open) > 0 {
			b.WriteString("</" + open[len(open)-1] + ">")
			open = open[:len(open)-1]
		}
		text := b.String()
		if !isStable(text) {
			return
		}
		stable++
		if got := s.policy.Sanitize(text); got != text {
			t.Errorf("the policy: got %q, want %q unchanged", got, text)
		}
		if got := s.balance(text); got != text {
			t.Errorf("a parser: got %q, want %q unchanged", got, text)
		}
	})
	if stable == 0 {
		t.Error("got no stable text, want some")
	}
}
