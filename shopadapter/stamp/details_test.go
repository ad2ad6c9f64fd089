package stamp_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

const details = shopadapter.FieldDetails

// wroteDetail is the note of a call that wrote a value into an empty field.
func wroteDetail(value string) stamp.Details {
	m, d := stamp.NewMerge(shopadapter.Ref{}, details), stamp.Details{}
	m.DecideDetails(details, nil, map[string]string{"weight": value}, &d)
	return d
}

func TestDecideDetails(t *testing.T) {
	const none, merchants = "", "merchant"
	for _, tt := range []struct {
		name             string
		last, held, want string
		group            shopadapter.Fields
		reset, own       bool
		write, kept      bool
		next             string // what was written last, as last
	}{
		{name: "never written, and empty", want: "2", group: details, write: true, next: "2"},
		{name: "as written last", last: "1", held: "1", want: "2", group: details, write: true, next: "2"},
		{name: "no longer given", last: "1", held: "1", group: details, write: true},
		{name: "not asked for", last: "1", held: "1", want: "2", group: title, next: "1"},
		{name: "edited", last: "1", held: "9", want: "2", group: details, kept: true, next: "1"},
		{name: "emptied by hand", last: "1", want: "2", group: details, kept: true, next: "1"},
		{name: "edited, no longer given", last: "1", held: "9", group: details, kept: true, next: "1"},
		{name: "edited, given back", last: "1", held: "9", want: "2", group: details, reset: true, write: true, next: "2"},
		{name: "edited, no longer given, given back", last: "1", held: "9", group: details, reset: true, write: true},
		{name: "given back alone", last: "1", held: "9", want: "2", reset: true, write: true, next: "2"},
		{name: "edited to what is wanted", last: "1", held: "2", want: "2", group: details, next: "2"},
		{name: "typed before any was written", held: "9", want: "2", group: details, kept: true},
		{name: "typed, given back", held: "9", want: "2", group: details, reset: true, write: true, next: "2"},
		{name: "typed, none given", held: "9", group: details, kept: true},
		{name: "typed, none given, given back", held: "9", group: details, reset: true},
		{name: "typed what is wanted", held: "2", want: "2", group: details, next: "2"},
		{name: "never complete", held: "9", want: "2", group: details, own: true, write: true, next: "2"},
		{name: "the shop's own default, none given", held: "9", group: details, own: true},
		{name: "the merchant's before", last: merchants, held: "9", want: "2", group: details, kept: true, next: merchants},
		{
			name: "the merchant's before, and equal", last: merchants, held: "2", want: "2", group: details, kept: true,
			next: merchants,
		},
		{
			name: "the merchant's before, never complete", last: merchants, held: "9", want: "2", group: details, own: true,
			kept: true, next: merchants,
		},
		{
			name: "the merchant's before, given back", last: merchants, held: "9", want: "2", group: details, reset: true,
			write: true, next: "2",
		},
		{
			name: "the merchant's before, none given, given back", last: merchants, held: "9", group: details, reset: true,
			next: merchants,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			note := func(value string) stamp.Details {
				switch value {
				case none:
					return stamp.Details{}
				case merchants:
					return stamp.MerchantsDetails(map[string]string{"weight": "before", "origin": ""})
				}
				return wroteDetail(value)
			}
			ref := shopadapter.Ref{}
			if tt.reset {
				ref.Reset = details
			}
			m := stamp.NewMerge(ref, tt.group)
			m.Own = tt.own
			last := note(tt.last)
			before := maps.Clone(last)
			given := last
			write := m.DecideDetails(
				details, map[string]string{"weight": tt.held}, map[string]string{"weight": tt.want}, &last,
			)
			value, written := write["weight"]
			if written != tt.write {
				t.Errorf("written: got %t, want %t", written, tt.write)
			}
			if written && value != tt.want {
				t.Errorf("writes %q, want %q", value, tt.want)
			}
			if m.Keeps(details) != tt.kept {
				t.Errorf("kept: got %t, want %t", m.Keeps(details), tt.kept)
			}
			if diff := cmp.Diff(note(tt.next), last); diff != "" {
				t.Errorf("note (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, given); diff != "" {
				t.Errorf("the note that was given has changed (-want +got):\n%s", diff)
			}
		})
	}
}

// Each value is decided on its own, and one that neither side names is left alone.
func TestDecideDetailsSideBySide(t *testing.T) {
	m, last := stamp.NewMerge(shopadapter.Ref{}, details), stamp.Details{}
	m.DecideDetails(details, nil, map[string]string{"weight": "1", "origin": "NL", "materials": "OAK"}, &last)
	held := map[string]string{"weight": "9", "origin": "NL", "height": ""}
	write := m.DecideDetails(details, held, map[string]string{"weight": "2", "origin": "PT", "height": "3"}, &last)
	if diff := cmp.Diff(map[string]string{"origin": "PT", "height": "3"}, write); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if !m.Keeps(details) {
		t.Error("the weight that the merchant typed is not kept")
	}
	if last["materials"] == "" {
		t.Error("the note forgets a value that neither side names")
	}
}

func TestCompareDetails(t *testing.T) {
	for _, row := range []struct {
		name             string
		held             string
		last             stamp.Details
		compared, edited bool
	}{
		{"as it was written", "1", wroteDetail("1"), true, false},
		{"edited", "9", wroteDetail("1"), true, true},
		{"emptied", "", wroteDetail("1"), true, true},
		{"the merchant's before", "9", stamp.MerchantsDetails(map[string]string{"weight": "9"}), true, true},
		{"never written", "9", nil, false, false},
	} {
		var c stamp.Comparison
		c.CompareDetails(details, map[string]string{"weight": row.held, "origin": ""}, row.last)
		if got := c.Compared == details; got != row.compared {
			t.Errorf("%s: compared: got %t, want %t", row.name, got, row.compared)
		}
		if got := c.Edited == details; got != row.edited {
			t.Errorf("%s: edited: got %t, want %t", row.name, got, row.edited)
		}
	}
}
