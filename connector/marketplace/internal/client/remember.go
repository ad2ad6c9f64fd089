package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// ServerDigest tells one endpoint from another. An address may hold a secret, so its digest is
// kept.
func ServerDigest(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return hex.EncodeToString(sum[:8])
}

// recall is the forms that memory keeps of this server; ok is false where it keeps none, or keeps
// them for too long, after Afresh, and from the second time on.
func (c *Conn) recall(ctx context.Context, now time.Time) (f form.Forms, ok bool) {
	if !c.Forms.Recalls() || c.memory == nil {
		return f, false
	}
	k, ok := form.ReadKept(ctx, c.memory, c.server, now)
	if !ok {
		return f, false
	}
	// else an unusual server's are believed at the second answer, and the first page waits
	c.bucket.Expect(k.Limit, k.RestoreRate)
	return k.Forms(c.Forms.Wanted), true
}

// remember keeps the forms that are in use, where they were found out and not read from a schema.
func (c *Conn) remember(ctx context.Context) {
	f, _ := c.Forms.Now()
	if c.memory == nil || f.Introspected {
		return
	}
	budget := c.bucket.Snapshot()
	err := f.Keep(c.server, time.Now(), budget.Limit, budget.RestoreRate).Write(context.WithoutCancel(ctx), c.memory)
	if err != nil { // they are found out again
		c.Log.LogAttrs(ctx, slog.LevelDebug, "marketplace forms cannot be kept", slog.String("error", err.Error()))
	}
}

// Unlearn gives up forms that came from memory, since the server objects to something: they are
// found out anew. It reports whether there were any.
func (c *Conn) Unlearn(ctx context.Context) bool {
	if !c.Forms.GiveUp() {
		return false
	}
	c.Log.LogAttrs(ctx, slog.LevelInfo, "marketplace schema forms of an earlier run given up, to be found out anew")
	c.forget(ctx)
	return true
}

// forget empties memory, where that can be done.
func (c *Conn) forget(ctx context.Context) {
	if c.memory != nil {
		_ = form.Forget(ctx, c.memory) //nolint:errcheck // what stays there is given up again, and is too old in a day
	}
}
