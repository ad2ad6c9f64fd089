package engine

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

func TestAChangeHasALine(t *testing.T) {
	var out bytes.Buffer
	tellChange(slog.New(slog.NewTextHandler(&out, nil)), store.Record{ID: "p1", State: store.StateLive}, store.Record{
		ID: "p1", Title: "Vase", State: store.StateLive,
		Variants: []store.Variant{{ID: "v1", Title: "Red / S"}},
	}, []store.Event{{At: store.At(time.Now()), What: store.WhatUpdated, Changes: []store.Change{{
		Field: "price", Variant: "v1", Name: "Red / S", Old: "34.95", New: "38.45", Why: "the supplier's msrp rose",
	}}}})
	want := `msg="publication changed" publication=p1 title=Vase ` +
		`change="price of Red / S 34.95 -> 38.45: the supplier's msrp rose"`
	if got := strings.TrimSpace(out.String()); strings.Contains(got, "\n") || !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want one line that ends in %q", got, want)
	}
}
