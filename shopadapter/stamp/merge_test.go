package stamp_test

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

const title = shopadapter.FieldTitle

func written(text string) stamp.Written { return stamp.Written{Hash: stamp.HashText(text)} }

func TestDecide(t *testing.T) {
	rewritten := written("LAMP")
	rewritten.Sent = stamp.HashText("lamp").Exact
	doubtful := written("new")
	doubtful.Instead(stamp.HashText("old"))

	newer := doubtful
	newer.Hash = stamp.HashText("newer")

	type row struct {
		name       string
		last       stamp.Written
		held, want string
		changed    shopadapter.Fields
		reset      bool
		unsure     bool
		own        bool
		write      bool
		kept       bool
		next       stamp.Written
	}
	for _, tt := range []row{
		{
			name: "as written last", last: written("old"), held: "old", want: "new", changed: title, write: true,
			next: written("new"),
		},
		{
			name: "not asked for", last: written("old"), held: "old", want: "new", changed: shopadapter.FieldPrice,
			next: written("old"),
		},
		{name: "edited", last: written("old"), held: "edit", want: "new", changed: title, kept: true, next: written("old")},
		{name: "edited, not asked for", last: written("old"), held: "edit", want: "new", next: written("old")},
		{
			name: "edited and given back", last: written("old"), held: "edit", want: "new", changed: title, reset: true,
			write: true, next: written("new"),
		},
		{
			name: "given back alone", last: written("old"), held: "edit", want: "new", reset: true, write: true,
			next: written("new"),
		},
		{
			name: "edited to what is wanted", last: written("old"), held: "new", want: "new", changed: title,
			next: written("new"),
		},
		{name: "there already", last: written("new"), held: "new", want: "new", changed: title, next: written("new")},
		{name: "never written", held: "text", want: "new", changed: title, kept: true},
		{name: "never complete", held: "text", want: "new", changed: title, own: true, write: true, next: written("new")},
		{
			name: "the merchant's before", last: stamp.Merchants(), held: "text", want: "new", changed: title, kept: true,
			next: stamp.Merchants(),
		},
		{
			name: "the merchant's before, and equal", last: stamp.Merchants(), held: "new", want: "new", changed: title,
			kept: true, next: stamp.Merchants(),
		},
		{
			name: "the merchant's before, given back", last: stamp.Merchants(), held: "text", want: "new", reset: true,
			write: true, next: written("new"),
		},
		{
			name: "the merchant's before, never complete", last: stamp.Merchants(), held: "text", want: "new", changed: title,
			own: true, kept: true, next: stamp.Merchants(),
		},
		{name: "rewritten by the shop", last: rewritten, held: "LAMP", want: "lamp", changed: title, next: rewritten},
		{
			name: "rewritten by the shop, another text", last: rewritten, held: "LAMP", want: "chair", changed: title,
			write: true, next: written("chair"),
		},
		{
			name: "rewritten by the shop, then edited", last: rewritten, held: "edit", want: "lamp", changed: title, kept: true,
			next: rewritten,
		},
		{
			name: "the second step never came", last: doubtful, held: "old", want: "new", changed: title, unsure: true,
			write: true, next: doubtful,
		},
		{
			name: "the second step came", last: doubtful, held: "new", want: "newer", changed: title, unsure: true, write: true,
			next: newer,
		},
		{
			name: "the old text again by hand", last: doubtful, held: "old", want: "new", changed: title, kept: true,
			next: doubtful,
		},
		{name: "there already, with a doubt", last: doubtful, held: "new", want: "new", changed: title, next: doubtful},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ref := shopadapter.Ref{}
			if tt.reset {
				ref.Reset = title
			}
			m := stamp.NewMerge(ref, tt.changed)
			m.Unsure, m.Own = tt.unsure, tt.own
			last := tt.last
			write := m.Decide(title, stamp.HashText(tt.held), stamp.HashText(tt.want), &last)
			if write != tt.write || m.Keeps(title) != tt.kept || stamp.Encode(last) != stamp.Encode(tt.next) {
				t.Errorf(
					"write %t, kept %t, stamp %s; want %t, %t, %s",
					write,
					m.Keeps(title),
					stamp.Encode(last),
					tt.write,
					tt.kept,
					stamp.Encode(tt.next),
				)
			}
			if write && m.Keeps(title) {
				t.Error("a text is written and kept")
			}
		})
	}
}

// Edited agrees with Decide wherever held is not what is wanted.
func TestEdited(t *testing.T) {
	texts := []string{"a", "b", "c"}
	stamps := []stamp.Written{{}, stamp.Merchants(), written("a"), written("b")}
	for _, last := range stamps {
		for _, held := range texts {
			for _, own := range []bool{false, true} {
				for _, reset := range []shopadapter.Fields{0, title} {
					decide, edited := stamp.NewMerge(
						shopadapter.Ref{Reset: reset},
						title,
					), stamp.NewMerge(
						shopadapter.Ref{Reset: reset},
						title,
					)
					decide.Own, edited.Own = own, own
					next := last
					write := decide.Decide(title, stamp.HashText(held), stamp.HashText("wanted"), &next)
					if got := edited.Edited(title, stamp.HashText(held), last); got == write ||
						decide.Kept() != edited.Kept() {
						t.Errorf(
							"last %s, held %q, own %t, reset %s: edited %t, written %t",
							stamp.Encode(last),
							held,
							own,
							reset,
							got,
							write,
						)
					}
				}
			}
		}
	}
}

func TestKeptNamesWhatWasAskedFor(t *testing.T) {
	m := stamp.NewMerge(shopadapter.Ref{Reset: shopadapter.FieldImages}, title|shopadapter.FieldPrice)
	m.Changed = shopadapter.AllFields
	for _, group := range []shopadapter.Fields{title, shopadapter.FieldDescription} {
		if !m.Keep(group) {
			t.Errorf("%s is not kept", group)
		}
	}
	if m.Keep(shopadapter.FieldImages) {
		t.Error("images are kept, and were given back")
	}
	if got := m.Kept(); got != title {
		t.Errorf("kept %s, want title: the caller did not ask for the description", got)
	}
}

// A reset names text groups alone: nothing else is ever the merchant's.
func TestResetIsOfTexts(t *testing.T) {
	if m := stamp.NewMerge(shopadapter.Ref{Reset: shopadapter.AllFields}, 0); m.Changed != shopadapter.TextFields ||
		m.Reset != shopadapter.TextFields {
		t.Errorf("changed %s, reset %s", m.Changed, m.Reset)
	}
}
