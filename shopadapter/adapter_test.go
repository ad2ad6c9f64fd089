package shopadapter_test

import (
	"errors"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestDrift(t *testing.T) {
	for _, tt := range []struct {
		name          string
		ref           shopadapter.Ref
		found, onSale bool
		want          error
	}{
		{"new", shopadapter.Ref{}, false, false, nil},
		{"new, and said to be on sale", shopadapter.Ref{OnSale: true}, false, false, nil},
		{"found without a hint", shopadapter.Ref{}, true, false, nil},
		{"deleted", shopadapter.Ref{Listing: "7"}, false, false, shopadapter.ErrGone},
		{"deleted while on sale", shopadapter.Ref{Listing: "7", OnSale: true}, false, false, shopadapter.ErrGone},
		{"as it was left", shopadapter.Ref{Listing: "7", OnSale: true}, true, true, nil},
		{"taken out of sale", shopadapter.Ref{Listing: "7", OnSale: true}, true, false, shopadapter.ErrHidden},
		{"was not on sale", shopadapter.Ref{Listing: "7"}, true, false, nil},
	} {
		if err := tt.ref.Drift(tt.found, tt.onSale); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}
