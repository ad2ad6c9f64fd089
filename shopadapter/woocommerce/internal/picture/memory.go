package picture

import (
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// A Memory is what is known of the pictures of a listing between two calls. A State keeps it.
type Memory struct {
	Pictures map[string]int64 `json:"i,omitempty"` // by mark of the address: the id in the media library
	// mark of the list of pictures that the fields below are about: with another, refused ones are
	// tried again
	Album string `json:"a,omitempty"`
	// by mark: why the shop refuses a picture, until the list changes or a person asks
	Refused map[string]string `json:"r,omitempty"`
	// a request with several new pictures did not end well; false again once all that are wanted
	// are there
	OneByOne bool `json:"z,omitempty"`
	// when a request was given up that the shop was loading pictures for, in Unix milliseconds; 0:
	// none is open
	Loading int64 `json:"h,omitempty"`
}

// recall resets what was learned of single pictures. Two things reset it: a
// person who asks (Ref.Asked) and another list of pictures. Until then explain shows each refusal
// with its reason.
func (m *Memory) recall(list string, asked bool) {
	if asked || m.Album != list {
		m.Refused = nil
	}
	m.Album = list
}

// Remembered is the pictures for the stamp: those that are shown, and as many of the others as
// there is room for.
func (m *Memory) Remembered(shown []rest.Image) map[string]int64 {
	kept := map[string]int64{}
	for i, mark := range Marks(shown, m.Pictures) {
		if !strings.HasPrefix(mark, "#") {
			kept[mark] = int64(shown[i].ID)
		}
	}
	for _, mark := range slices.Sorted(maps.Keys(m.Pictures)) {
		if _, there := kept[mark]; !there && len(kept) < mostKnown {
			kept[mark] = m.Pictures[mark]
		}
	}
	m.Pictures = maps.Clone(kept)
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// Arrived reports whether a product shows every picture that is wanted and that the shop has not
// refused.
func (m *Memory) Arrived(pictures []Picture, shown []rest.Image) bool {
	held := Marks(shown, m.Pictures)
	return !slices.ContainsFunc(pictures, func(p Picture) bool {
		return !slices.Contains(held, p.mark) && m.Refused[p.mark] == ""
	})
}
