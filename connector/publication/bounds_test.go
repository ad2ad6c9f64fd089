package publication

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// What a shop answers is kept unless one of its parts is too long, or shows a secret.
func TestUnkeepable(t *testing.T) {
	secret := func(s string) bool { return strings.Contains(s, "hunter2") }
	long := strings.Repeat("x", MaxAddress+1)
	for _, tt := range []struct {
		name string
		l    shopadapter.Listing
		want string // "" for nothing
	}{
		{"nothing", shopadapter.Listing{}, ""},
		{"a listing", shopadapter.Listing{ID: "7", URL: "https://shop/7", Variants: variant("8")}, ""},
		{"a long id", shopadapter.Listing{ID: shopadapter.ListingID(long)}, "an id of 4097 bytes"},
		{"a long address", shopadapter.Listing{URL: long}, "an address of 4097 bytes"},
		{"a long state", shopadapter.Listing{State: make([]byte, MaxShopState+1)}, "a state of 1048577 bytes"},
		{"a variant's long id", shopadapter.Listing{Variants: variant(long)}, "a variant's id of 4097"},
		{"a secret in the id", shopadapter.Listing{ID: "hunter2"}, "one of the secrets"},
		{"a secret in the address", shopadapter.Listing{URL: "https://hunter2@shop/7"}, "one of the secrets"},
		{
			"a secret in a variant's id",
			shopadapter.Listing{Variants: variant("hunter2")},
			"one of the secrets",
		},
		{"a secret in the state, which is told to no one", shopadapter.Listing{State: []byte("hunter2")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Unkeepable(tt.l, secret)
			if tt.want == "" {
				if got != nil {
					t.Fatalf("got %v, want nothing", got)
				}
				return
			}
			if got == nil {
				t.Fatalf("it is kept, want %q", tt.want)
			}
			if !strings.Contains(got.Error(), tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if e := shopadapter.Explain(got); e.Kind != shopadapter.Blocked {
				t.Errorf("kind %s, want %s", e.Kind, shopadapter.Blocked)
			}
			if strings.Contains(got.Error(), "hunter2") {
				t.Errorf("got %q, want no secret in it", got)
			}
		})
	}
}

// variant is a variant that the shop made, by its id there.
func variant(id string) []shopadapter.ListedVariant {
	return []shopadapter.ListedVariant{{ID: "v1", ShopID: id}}
}
