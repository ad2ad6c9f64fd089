package engine

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/store"
)

// told makes a change of the price of each of some publications, and returns the lines of the log.
func told(t *testing.T, changes func(tell func(id string, state store.State))) []string {
	t.Helper()
	var out bytes.Buffer
	teller := newTeller(slog.New(slog.NewTextHandler(&out, nil)))
	changes(func(id string, state store.State) {
		now := time.Now()
		teller.tell(store.Record{ID: id, State: store.StateLive}, store.Record{
			ID: id, Title: "Vase", State: state,
			Variants: []store.Variant{{ID: "v1", Title: "Red / S"}},
		}, []store.Event{{At: store.At(now), What: store.WhatUpdated, Changes: []store.Change{{
			Field: "price", Variant: "v1", Name: "Red / S", Old: "34.95", New: "38.45", Why: "the supplier's msrp rose",
		}}}}, now)
	})
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func TestAChangeHasALine(t *testing.T) {
	lines := told(t, func(tell func(string, store.State)) { tell("p1", store.StateLive) })
	want := `msg="publication changed" publication=p1 title=Vase ` +
		`change="price of Red / S 34.95 -> 38.45: the supplier's msrp rose"`
	if len(lines) != 1 || !strings.HasSuffix(lines[0], want) {
		t.Errorf("got %q, want one line that ends in %q", lines, want)
	}
}

// Of a burst some lines are written, and each that needs a person. The next line says how many were left out.
func TestABurstLeavesOutLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := told(t, func(tell func(string, store.State)) {
			for i := range mostTold + 500 {
				tell(fmt.Sprint("p", i), store.StateLive)
			}
			tell("held", store.StateHeld)
			time.Sleep(toldSpan)
			tell("later", store.StateLive)
		})
		if len(lines) != mostTold+2 {
			t.Fatalf("got %d lines, want %d, one of what is held, and one later", len(lines), mostTold)
		}
		if held := lines[mostTold]; !strings.Contains(held, "publication=held") || !strings.Contains(held, "untold=500") {
			t.Errorf("got %q, want the publication that is held, and 500 untold", held)
		}
		if later := lines[mostTold+1]; !strings.Contains(later, "publication=later") || strings.Contains(later, "untold") {
			t.Errorf("got %q, want the later one alone", later)
		}
	})
}

// A line is bounded, however many variants a product has.
func TestALongChangeIsCut(t *testing.T) {
	if got := len([]rune(short(strings.Repeat("ä", 1000)))); got != longestChange {
		t.Errorf("got %d characters, want %d", got, longestChange)
	}
}
