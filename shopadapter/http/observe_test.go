package httpshop

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// observe is what an adapter observes, and the error that ends it.
func observe(t *testing.T, a *adapter, what shopadapter.Query) (all []shopadapter.Listed, ended error) {
	t.Helper()
	for o, err := range a.List(t.Context(), what) {
		if err != nil {
			ended = err
			continue
		}
		all = append(all, o)
	}
	return all, ended
}

// An endpoint's list is read as leniently as the languages that write it need, and what it does not
// tell is left out.
func TestObserved(t *testing.T) {
	for _, tt := range []struct {
		name, members string
		images        int
		variants      []shopadapter.ListedVariant
	}{
		{
			"as the contract has it",
			`"images":2,"variants":[{"id":"71","sku":"A","price":"19.95","quantity":3,"backorders":true,"onSale":true}]`, 2,
			[]shopadapter.ListedVariant{
				{ID: "71", ShopID: "71", SKU: "A", Price: "19.95", Quantity: 3, Backorders: true, OnSale: true},
			},
		},
		{
			"other types",
			`"images":"2","variants":[{"id":71,"sku":5,"price":19.95,"quantity":"3","onSale":false}]`, 2,
			[]shopadapter.ListedVariant{{ID: "71", ShopID: "71", SKU: "5", Price: "19.95", Quantity: 3}},
		},
		{
			"sold below zero", `"variants":[{"id":"71","price":"1.00","quantity":-2,"backorders":true}]`, -1,
			[]shopadapter.ListedVariant{{ID: "71", ShopID: "71", Price: "1.00", Quantity: -2, Backorders: true, OnSale: true}},
		},
		{
			"edited texts", `"edited":["title",7,"price","unknown","images"],"variants":[]`, -1, []shopadapter.ListedVariant{},
		},
		{"none left", `"images":0,"variants":[]`, 0, []shopadapter.ListedVariant{}},
		{"nothing told", `"images":null`, -1, nil},
		{"no list of variants", `"images":-1,"variants":{"71":{}}`, -1, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const head = `{"products":[{"publication":"p","id":7,"url":"https://shop.example/p","onSale":true,`
			shop := &scripted{code: http.StatusOK, body: head + tt.members + `}]}`}
			got, err := observe(t, shop.open(t), shopadapter.Query{})
			if err != nil {
				t.Fatal(err)
			}
			want := []shopadapter.Listed{{
				Ref: shopadapter.Ref{Publication: "p", Listing: "7"},
				Listing: shopadapter.Listing{
					ID: "7", URL: "https://shop.example/p", OnSale: true, Images: tt.images, Variants: tt.variants,
				},
			}}
			if strings.Contains(tt.members, "edited") {
				want[0].Compared, want[0].Edited = shopadapter.TextFields, shopadapter.FieldTitle|shopadapter.FieldImages
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A price that cannot be read is not told, and costs no other listing its comparison.
func TestObservedPriceThatCannotBeRead(t *testing.T) {
	const body = `{"products":[{"publication":"p","id":7,"variants":[{"price":"19,95"}]},` +
		`{"publication":"q","id":8,"variants":[{"price":"5.00"}]}]}`
	shop := &scripted{code: http.StatusOK, body: body}
	got, err := observe(t, shop.open(t), shopadapter.Query{})
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v, want two listings", got, err)
	}
	if p, q := got[0], got[1]; !p.Untold.Has(shopadapter.FieldPrice) || p.Variants[0].Price != "" ||
		q.Untold.Has(shopadapter.FieldPrice) || q.Variants[0].Price != "5.00" {
		t.Errorf("got %+v and %+v, want the first one's price untold, and 5.00", p, q)
	}
}

// The list is read as far as the listings that are asked for, and not at all for none. One listing is asked
// for by its publication: an endpoint that knows the word answers it at once.
func TestObserveSome(t *testing.T) {
	var asked []string
	a := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" {
			said(http.StatusOK, `{"observed":true}`)(w, r)
			return
		}
		asked = append(asked, r.URL.RawQuery)
		n := len(asked)
		_, _ = fmt.Fprintf(w, `{"products":[{"publication":"p/%d","id":%d}],"after":"%d"}`, n, n, n)
	})
	for _, tt := range []struct {
		refs []shopadapter.Ref
		want []string
	}{
		{[]shopadapter.Ref{}, nil},
		{[]shopadapter.Ref{{Publication: "p/2"}}, []string{"after=&publication=p%2F2", "after=1&publication=p%2F2"}},
		{[]shopadapter.Ref{{Publication: "p/1"}, {Publication: "p/2"}}, []string{"after=", "after=1"}},
	} {
		asked = nil
		got, err := observe(t, a, shopadapter.Query{Refs: tt.refs})
		if err != nil || len(got) != len(tt.refs) {
			t.Errorf("%d listings: got %d, %v, want them", len(tt.refs), len(got), err)
		}
		if diff := cmp.Diff(tt.want, asked); diff != "" {
			t.Errorf("pages read for %d listings (-want +got)\n%s", len(tt.refs), diff)
		}
	}
}

// Single listings are asked for where health says that the list tells what stands in the shop.
func TestObserves(t *testing.T) {
	one := shopadapter.Query{Refs: []shopadapter.Ref{{Publication: "p"}}}
	for health, want := range map[string]bool{
		`{"observed":true}`: true, `{"observed":"true"}`: false, `{"figures":true}`: false, "well": false,
	} {
		shop := &scripted{code: http.StatusOK, health: health, body: `{"products":[]}`}
		if _, err := observe(t, shop.open(t), one); (err == nil) != want {
			t.Errorf("%s: observed: got %v, want it: %t", health, err, want)
		}
	}
}
