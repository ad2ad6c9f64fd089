package marketplace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"slices"
	"time"
)

// A Memory keeps what was found out of a server over restarts. The store is one.
type Memory interface {
	Meta(ctx context.Context, key string) (string, error)
	SetMeta(ctx context.Context, key, value string) error
}

const (
	// metaForms is the fact that keeps the forms.
	metaForms = "marketplace_forms"

	// formsRemembered is how long a single run believes the forms that an earlier process found.
	formsRemembered = 24 * time.Hour
)

// keptForms is the forms that a server without introspection turned out to have, and when.
// Languages are no part of it: what a product is written in must never come from an old objection.
type keptForms struct {
	Server string    `json:"server"` // a digest of the endpoint
	Found  time.Time `json:"found"`

	UpdatedAtAsc bool     `json:"updatedAtAsc"`
	IDType       string   `json:"idType"`
	StatusType   string   `json:"statusType"`
	Success      string   `json:"success"`
	Failed       string   `json:"failed"`
	EnumMethod   bool     `json:"enumMethod"`
	MethodType   string   `json:"methodType"`
	Edges        []string `json:"edges,omitempty"`
	NoUserErrors bool     `json:"noUserErrors,omitempty"`

	Limit       float64 `json:"limit,omitempty"` // of the bucket, as answers said
	RestoreRate float64 `json:"restoreRate,omitempty"`
}

// serverDigest tells one endpoint from another. An address may hold a secret, so its digest is
// kept.
func serverDigest(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return hex.EncodeToString(sum[:8])
}

// recall is the forms that memory keeps of this server; ok is false where it keeps none, or keeps
// them for too long, after Afresh, and from the second time on.
func (r *Reader) recall(ctx context.Context, now time.Time) (f Forms, ok bool) {
	r.forms.mu.Lock()
	first := r.forms.recall
	r.forms.recall = false
	r.forms.mu.Unlock()
	if r.memory == nil || !first {
		return f, false
	}
	value, err := r.memory.Meta(ctx, metaForms)
	var k keptForms
	if err != nil || value == "" || json.Unmarshal([]byte(value), &k) != nil {
		return f, false
	}
	age := now.Sub(k.Found)
	names := append([]string{k.IDType, k.Success, k.Failed, k.MethodType}, k.Edges...)
	switch {
	case k.Server != r.server, age < 0, age >= formsRemembered, k.StatusType != "an enum" && !isName(k.StatusType):
		return f, false
	case slices.Contains(names, ""):
		return f, false
	}
	f = assumed(r.forms.wanted)
	f.UpdatedAtAsc, f.IDType, f.StatusType, f.Success, f.Failed = k.UpdatedAtAsc, k.IDType, k.StatusType, k.Success, k.Failed
	f.noUserErrors = k.NoUserErrors
	f.enumMethod, f.MethodType, f.edges = k.EnumMethod, k.MethodType, make(map[string]bool)
	for _, kind := range k.Edges {
		f.edges[kind] = true
	}
	// else an unusual server's are believed at the second answer, and the first page waits
	r.pacer.Expect(k.Limit, k.RestoreRate)
	return f, true
}

// remember keeps the forms that are in use, where they were found out and not read from a schema.
func (r *Reader) remember(ctx context.Context) {
	b := r.forms
	b.mu.Lock()
	f := b.forms
	b.mu.Unlock()
	if r.memory == nil || f.Introspected {
		return
	}
	budget := r.pacer.Snapshot()
	value, err := json.Marshal(keptForms{
		Server: r.server, Found: time.Now(), UpdatedAtAsc: f.UpdatedAtAsc, IDType: f.IDType, StatusType: f.StatusType, Success: f.Success, Failed: f.Failed,
		EnumMethod: f.enumMethod, MethodType: f.MethodType, Edges: edgesOf(f), NoUserErrors: f.noUserErrors,
		Limit: budget.Limit, RestoreRate: budget.RestoreRate,
	})
	if err == nil {
		err = r.memory.SetMeta(context.WithoutCancel(ctx), metaForms, string(value))
	}
	if err != nil { // they are found out again
		r.log.LogAttrs(ctx, slog.LevelDebug, "marketplace forms cannot be kept", slog.String("error", err.Error()))
	}
}

// edgesOf are the kinds of connection that have no nodes.
func edgesOf(f Forms) (kinds []string) {
	for kind, only := range f.edges {
		if only {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// unlearn gives up forms that came from memory, since the server objects to something: they are
// found out anew. It reports whether there were any.
func (r *Reader) unlearn(ctx context.Context) bool {
	b := r.forms
	b.mu.Lock()
	recalled := b.recalled
	if recalled {
		b.recalled, b.known = false, false
	}
	b.mu.Unlock()
	if !recalled {
		return false
	}
	r.contents.Clear()
	r.log.LogAttrs(ctx, slog.LevelInfo, "marketplace schema forms of an earlier run given up, to be found out anew")
	r.forget(ctx)
	return true
}

// forget empties memory, where that can be done.
func (r *Reader) forget(ctx context.Context) {
	if r.memory != nil {
		_ = Forget(ctx, r.memory) //nolint:errcheck // what stays there is given up again, and is too old in a day
	}
}

// Forget empties a memory of what was found out of the server.
func Forget(ctx context.Context, memory Memory) error {
	kept, err := memory.Meta(ctx, metaForms)
	if err != nil || kept == "" {
		return err
	}
	return memory.SetMeta(ctx, metaForms, "")
}
