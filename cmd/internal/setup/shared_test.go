package setup

import (
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
)

// Accounts of one app share a bucket where the settings say so, and no others do.
func TestBucketsAreOfAnApp(t *testing.T) {
	shared := &Shared{}
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
	if first.shared.bucket(first) == nil {
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
		if got := tt.other.shared.bucket(tt.other) == first.shared.bucket(first); got != tt.shares {
			t.Errorf("an account %s: shares the bucket %t, want %t", tt.name, got, tt.shares)
		}
	}
}

// The accounts of a process share the slots for calls. A process with one account has no bound but
// that of the account.
func TestCallSlotsAreOfAProcess(t *testing.T) {
	shared := &Shared{}
	slots := shared.callSlots()
	if shared.callSlots() != slots {
		t.Error("two accounts have slots of their own, want the same")
	}
	if !slots.TryAcquire(mostCalls) || slots.TryAcquire(1) {
		t.Errorf("got another number of slots than %d", mostCalls)
	}
	if (*Shared)(nil).callSlots() != nil {
		t.Error("a process with one account has a bound over all, want none")
	}
}
