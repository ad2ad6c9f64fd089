package health

import "testing"

// The last error stands until what it was about is mended.
func TestTheLastErrorStandsUntilItIsMended(t *testing.T) {
	for _, tt := range []struct {
		name string
		happ func(h *Health)
		want string
	}{
		{"nothing", func(*Health) {}, ""},
		{"an error of every call, and a success", func(h *Health) {
			h.FailedAt(Shop, "", "down")
			h.Mended(Shop, "1")
		}, ""},
		{"an error of every call, and a check that passes", func(h *Health) {
			h.FailedAt(Shop, "", "down")
			h.Mended(Shop)
		}, ""},
		{"an error of one publication, and a success of another", func(h *Health) {
			h.FailedAt(Shop, "1", "no answer")
			h.Mended(Shop, "2")
		}, "no answer"},
		{"an error of one publication, and its success", func(h *Health) {
			h.FailedAt(Shop, "1", "no answer")
			h.Mended(Shop, "2", "1")
		}, ""},
		{"an error of the other side", func(h *Health) {
			h.FailedAt(Marketplace, "", "away")
			h.Mended(Shop, "1")
		}, "away"},
		{"a panic, which fails its call too", func(h *Health) {
			h.Record(Error{Message: "internal error: nil"})
			h.FailedAt(Shop, "1", "call: internal error: nil")
			h.Mended(Shop, "1")
		}, "internal error: nil"},
		{"another error after a panic", func(h *Health) {
			h.Record(Error{Message: "internal error: nil"})
			h.FailedAt(Shop, "", "down")
		}, "down"},
	} {
		h, _ := newHealth(&disk{})
		tt.happ(h)
		if got := h.Last().Message; got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
