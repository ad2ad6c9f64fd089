package setup

import (
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
)

// Accounts of one app share a bucket where the settings say so, and no others do.
func TestBucketsAreOfAnApp(t *testing.T) {
	shared := &Buckets{}
	account := func(bucket, market, client string) *Setup {
		e, err := config.Read([]string{
			"PUBSYNC_MARKETPLACE_BUCKET=" + bucket, "PUBSYNC_MARKETPLACE_URL=" + market, "PUBSYNC_OAUTH_CLIENT_ID=" + client,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := New(e, config.ToLook, "test")
		c.Share(shared)
		return c
	}
	const here, there = "https://api.market.example", "https://api.other.example"
	first := account("app", here, "mine")
	if first.buckets.of(first) == nil {
		t.Fatal("an app has no bucket")
	}
	for _, tt := range []struct {
		name   string
		other  *Setup
		shares bool
	}{
		{"of the same app", account("app", here, "mine"), true},
		{"of another app", account("app", here, "another"), false},
		{"at another marketplace", account("app", there, "mine"), false},
		{"with a bucket of its own", account("account", here, "mine"), false},
	} {
		if got := tt.other.buckets.of(tt.other) == first.buckets.of(first); got != tt.shares {
			t.Errorf("an account %s: shares the bucket %t, want %t", tt.name, got, tt.shares)
		}
	}
}
