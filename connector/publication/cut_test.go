package publication

import (
	"strings"
	"testing"
)

func TestCutHTML(t *testing.T) {
	filler := strings.Repeat("One more. ", 9) // 90 bytes
	for _, tt := range []struct {
		name, text, want string
	}{
		{"short", "<p>All of it", "<p>All of it"},
		{"a sentence", "<p>" + filler + "Not this one, of which the end is missing.</p>", "<p>" + strings.TrimSpace(filler)},
		{
			"a sentence in quotes", strings.Repeat("x", 60) + " «So it is.» And this goes on and on and on and on and on",
			strings.Repeat("x", 60) + " «So it is.»",
		},
		{
			"a paragraph", "<p>" + strings.Repeat("word ", 12) + "end</p><p>" + strings.Repeat("and ", 20),
			"<p>" + strings.Repeat("word ", 12) + "end</p>",
		},
		{
			"a list", "<ul><li>" + strings.Repeat("a", 60) + "</li><li>" + strings.Repeat("b", 60),
			"<ul><li>" + strings.Repeat("a", 60) + "</li>",
		},
		{"a line", strings.Repeat("w ", 30) + "\n" + strings.Repeat("v ", 30), strings.TrimSpace(strings.Repeat("w ", 30))},
		{
			"a word", "One. " + strings.Repeat("word ", 30),
			"One. " + strings.TrimSuffix(strings.Repeat("word ", 19), " ") + "…",
		},
		{"nothing to cut at", strings.Repeat("é", 80), strings.Repeat("é", 50)},
		{"in a tag", strings.Repeat("a", 95) + `<a href="https://shop.example">`, strings.Repeat("a", 95)},
		{"in an entity", strings.Repeat("a", 97) + "&amp;&amp;", strings.Repeat("a", 97)},
		{"behind an entity", strings.Repeat("a", 94) + "&amp;bbbbb", strings.Repeat("a", 94) + "&amp;b"},
		{"full width", strings.Repeat("灯", 20) + "。" + strings.Repeat("灯", 20), strings.Repeat("灯", 20) + "。"},
		{
			"a decimal is no end", strings.Repeat("x", 55) + " 2.5 " + strings.Repeat("y", 60),
			strings.Repeat("x", 55) + " 2.5…",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := cutHTML(tt.text, 100); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
