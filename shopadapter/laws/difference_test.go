package laws

import (
	"strings"
	"testing"
)

func TestDifference(t *testing.T) {
	type seen struct {
		Title  string
		Prices []string
		hidden int
	}
	for _, tt := range []struct {
		name          string
		before, after seen
		want          string
	}{
		{"equal", seen{Title: "a", Prices: []string{"1"}}, seen{Title: "a", Prices: []string{"1"}}, ""},
		{"a field", seen{Title: "a"}, seen{Title: "b"}, "-   \"Title\": \"a\",\n+   \"Title\": \"b\","},
		{
			"an element more",
			seen{Prices: []string{"1"}},
			seen{Prices: []string{"1", "2"}},
			"-     \"1\"\n+     \"1\",\n+     \"2\"",
		},
		{"what JSON does not show", seen{hidden: 1}, seen{hidden: 2}, "hidden:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := difference(tt.before, tt.after)
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	many := difference(make([]int, 100), []int{})
	if n := strings.Count(many, "\n"); n > mostDiffering {
		t.Errorf("got %d lines, want at most %d", n, mostDiffering)
	}
}
