package woocommerce

import (
	"encoding/json"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/category"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

// stateVersion is the form of a state. One of another version counts as lost.
const stateVersion = 1

// A state is the hint that the adapter leaves with the caller: what a change of price needs to be
// one request. Nothing goes wrong without it.
type state struct {
	picture.Memory     // of the pictures
	Version        int `json:"v"`
	// hash of the publication's id: another publication's state is not believed
	Key  string `json:"k"`
	ID   int64  `json:"id"`          // of the product
	Link string `json:"l,omitempty"` // its address while on sale
	// what the addresses of its variations begin with, where that is something else
	Prefix   string                       `json:"x,omitempty"`
	Variable bool                         `json:"t,omitempty"` //
	Variants map[string]variation.Written `json:"w,omitempty"` // by variant id
	// what the attributes to choose by, and their values, were called after the last write of them
	Choices  []choice.Known   `json:"b,omitempty"`
	Category *category.Chosen `json:"c,omitempty"` // the category last looked for
	// when a write got no answer, in Unix milliseconds; 0: none is open
	Unanswered int64 `json:"d,omitempty"`
	Uploads    bool  `json:"u,omitempty"` // and pictures were on their way in it
	Done       bool  `json:"o,omitempty"` // the last call ended well
	// a write had no answer, and since then the shop was not seen to hold what the stamp says
	Cut bool `json:"n,omitempty"`
}

// readState is the state in ref, or the state of a listing of which nothing is known.
func readState(ref shopadapter.Ref) (s state, known bool) {
	key := stamp.Digest(string(ref.Publication), 6)
	if json.Unmarshal(ref.State, &s) == nil && s.Version == stateVersion && s.Key == key && s.ID > 0 &&
		(ref.Listing == "" || s.ID == listingNumber(ref.Listing)) {
		return s, true
	}
	return state{Version: stateVersion, Key: key}, false
}

func (s state) encode() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic("woocommerce: a state of strings and numbers cannot fail to encode: " + err.Error())
	}
	return text
}

// certain reports whether the state speaks of what the shop holds, as far as the adapter knows.
func (s state) certain() bool { return s.Done && s.Unanswered == 0 }

// unanswered records that a write got no answer.
func (s *state) unanswered(uploads bool) {
	s.Unanswered, s.Uploads, s.Done = time.Now().UnixMilli(), s.Uploads || uploads, false
}

// since is how long ago the last write without an answer was.
func (s state) since() time.Duration { return time.Since(time.UnixMilli(s.Unanswered)) }
