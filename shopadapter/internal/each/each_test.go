package each_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/internal/each"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		list []int
		want string
	}{
		{[]int{3, 1, 2, 1}, `["3","1","2","1"]`},
		{[]int{}, "[]"},
		{nil, "[]"},
	} {
		if got, err := json.Marshal(each.Of(tt.list, strconv.Itoa)); string(got) != tt.want || err != nil {
			t.Errorf("of %v: %s, %v, want %s", tt.list, got, err, tt.want)
		}
	}
}

func TestLed(t *testing.T) {
	for _, tt := range []struct {
		first      string
		list, want []string
	}{
		{"a", []string{"a", "b"}, []string{"a", "b"}},
		{"b", []string{"a", "b"}, []string{"b", "a", "b"}},
		{"a", nil, []string{"a"}},
		{"", []string{"a"}, []string{"a"}},
		{"", nil, nil},
	} {
		if got := each.Led(tt.first, tt.list); !slices.Equal(got, tt.want) {
			t.Errorf("%q before %q: %q, want %q", tt.first, tt.list, got, tt.want)
		}
	}
}
