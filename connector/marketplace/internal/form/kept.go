package form

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// A Memory keeps what was found out of a server over restarts. The store is one.
type Memory interface {
	Meta(ctx context.Context, key string) (string, error)
	SetMeta(ctx context.Context, key, value string) error
}

const (
	// MetaForms is the fact that keeps the forms.
	MetaForms = "marketplace_forms"

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
	NoOriginal   bool     `json:"noOriginal,omitempty"`

	Limit       float64 `json:"limit,omitempty"` // of the bucket, as answers said
	RestoreRate float64 `json:"restoreRate,omitempty"`
}

// edgesOf are the kinds of connection that have no nodes.
func edgesOf(f Forms) (kinds []string) {
	for kind, only := range f.Edges {
		if only {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// Keep is f as memory keeps it, with what the bucket of the server holds and how fast it fills.
func (f Forms) Keep(server string, now time.Time, limit, restoreRate float64) keptForms {
	return keptForms{
		Server: server, Found: now, UpdatedAtAsc: f.UpdatedAtAsc, IDType: f.IDType, StatusType: f.StatusType,
		Success: f.Success, Failed: f.Failed, EnumMethod: f.enumMethod, MethodType: f.MethodType,
		Edges: edgesOf(f), NoUserErrors: f.NoUserErrors, NoOriginal: f.NoOriginal, Limit: limit, RestoreRate: restoreRate,
	}
}

// Forms is what was kept, with the languages wanted.
func (k keptForms) Forms(wanted []string) Forms {
	f := Assumed(wanted)
	f.UpdatedAtAsc, f.IDType, f.StatusType = k.UpdatedAtAsc, k.IDType, k.StatusType
	f.Success, f.Failed, f.NoUserErrors, f.NoOriginal = k.Success, k.Failed, k.NoUserErrors, k.NoOriginal
	f.enumMethod, f.MethodType, f.Edges = k.EnumMethod, k.MethodType, make(map[string]bool)
	for _, kind := range k.Edges {
		f.Edges[kind] = true
	}
	return f
}

// Write puts k into memory.
func (k keptForms) Write(ctx context.Context, memory Memory) error {
	value, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return memory.SetMeta(ctx, MetaForms, string(value))
}

// ReadKept is what memory keeps of a server; ok is false where that is nothing, too old, or not
// what write writes.
func ReadKept(ctx context.Context, memory Memory, server string, now time.Time) (k keptForms, ok bool) {
	value, err := memory.Meta(ctx, MetaForms)
	if err != nil || value == "" || json.Unmarshal([]byte(value), &k) != nil {
		return k, false
	}
	age := now.Sub(k.Found)
	names := append([]string{k.IDType, k.Success, k.Failed, k.MethodType}, k.Edges...)
	ok = k.Server == server && age >= 0 && age < formsRemembered &&
		(k.StatusType == "an enum" || isName(k.StatusType)) && !slices.Contains(names, "")
	return k, ok
}

// Forget empties a memory of what was found out of the server.
func Forget(ctx context.Context, memory Memory) error {
	kept, err := memory.Meta(ctx, MetaForms)
	if err != nil || kept == "" {
		return err
	}
	return memory.SetMeta(ctx, MetaForms, "")
}
