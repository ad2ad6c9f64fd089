// Package delivery puts down what the supplier says of shipping and returns, for shops that keep it
// beside a product. What the supplier charges for shipping is the retailer's to know: it stands
// only in what no customer sees.
package delivery

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// An Audience is a setting that says who may see it.
type Audience string

// The audiences.
const (
	Off    = "off"    // nothing is written
	Hidden = "hidden" // the retailer alone, with what the supplier charges
	Shown  = "shown"  // besides that the shop's pages, without it
)

// EnvDecode reads the setting.
func (a *Audience) EnvDecode(_ context.Context, value string) error {
	return shopadapter.Choose(a, value, Hidden, Shown, Off)
}

// terms are put down under these names, those of the http shop protocol.
type terms struct {
	Shipping  []group   `json:"shipping"`
	Returns   string    `json:"returns"`
	Available []release `json:"available,omitempty"`
}

// A release is when a variant can be had that cannot be had yet.
type release struct {
	SKU     string `json:"sku"`
	Variant string `json:"variant,omitempty"` // its title
	From    string `json:"from"`              // YYYY-MM-DD
}

// releases are those of a product, in the order of its variants.
func releases(p shopadapter.Product) (later []release) {
	for _, v := range p.Variants {
		if v.Later {
			later = append(later, release{SKU: v.SKU, Variant: v.Title, From: v.AvailableAt})
		}
	}
	return later
}

type group struct {
	CountryGroup  string `json:"countryGroup"`
	FixedCosts    string `json:"fixedCosts,omitempty"`
	VariableCosts string `json:"variableCosts,omitempty"`
	EstimatedDays string `json:"estimatedDays"`
}

// Private is all that the supplier says, as JSON.
func Private(p shopadapter.Product) string { return encode(p, true) }

// Public is what customers may see of it, as JSON: for which countries, in how many days, whether
// returns are taken, and which variant can be had only from a later day.
func Public(p shopadapter.Product) string { return encode(p, false) }

func encode(p shopadapter.Product, costs bool) string {
	t := terms{Shipping: make([]group, len(p.Shipping)), Returns: p.Returns, Available: releases(p)}
	for i, s := range p.Shipping {
		t.Shipping[i] = group{CountryGroup: s.CountryGroup, EstimatedDays: s.EstimatedDays}
		if costs {
			t.Shipping[i].FixedCosts, t.Shipping[i].VariableCosts = s.FixedCosts, s.VariableCosts
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(t); err != nil {
		panic(err) // strings in slices always encode
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// Texts are Private and Public, "" where an audience has nothing to read.
func Texts(p shopadapter.Product, audience Audience) (private, public string) {
	if Digest(p, audience) == "" {
		return "", ""
	}
	if audience == Shown {
		public = Public(p)
	}
	return Private(p), public
}

// Digest tells what is put down for an audience apart from what was put down before. It is "" where
// there is nothing to put down and nobody to read it.
func Digest(p shopadapter.Product, audience Audience) string {
	if audience == Off || len(p.Shipping) == 0 && p.Returns == "" && len(releases(p)) == 0 {
		return ""
	}
	return stamp.Digest(string(audience)+"\n"+Private(p), 8)
}
