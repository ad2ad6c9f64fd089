// Package detail says what is to be written of a variant's weight, sizes and EAN, and of what its
// product shows beside them. Each value is decided on its own: one that the merchant typed stays.
package detail

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A Note is what the shop holds of the last write of details. PHP writes it before the values. So
// it also has what was there before: where PHP died between the two, that is no edit of the
// merchant's.
type Note struct {
	Last   stamp.Details     `json:"last,omitempty"`
	Before map[string]string `json:"before,omitempty"` // by name, the digest of what was overwritten
}

// ReadNote is the empty note where there is none that can be read.
func ReadNote(text string) (n Note) {
	_ = json.Unmarshal([]byte(text), &n)
	return n
}

// Text is the note as the shop keeps it, "" for the empty one.
func (n Note) Text() string {
	if len(n.Last)+len(n.Before) == 0 {
		return ""
	}
	return stamp.Encode(n)
}

// Has reports whether the adapter wrote a value of this name last.
func (n Note) Has(name string) bool { return n.Last[name] != "" }

// Is reports whether a value is the one that the adapter wrote last.
func (n Note) Is(name, value string) bool { return n.Has(name) && n.Last[name] == digest(value) }

// Wrote reports whether a value that the shop holds is the adapter's: the one that was written last,
// or one that PHP died over.
func (n Note) Wrote(name, value string) bool {
	before, known := n.Before[name]
	return n.Last[name] == digest(value) || known && before == digest(value)
}

// Forget has the note speak of a name no longer.
func (n *Note) Forget(name string) {
	n.Last, n.Before = maps.Clone(n.Last), maps.Clone(n.Before)
	delete(n.Last, name)
	delete(n.Before, name)
	if len(n.Last) == 0 {
		n.Last = nil
	}
	if len(n.Before) == 0 {
		n.Before = nil
	}
}

// Decide is [stamp.Merge.DecideDetails] with the note.
func (n *Note) Decide(
	m *stamp.Merge, group shopadapter.Fields, held, want map[string]string,
) (write map[string]string) {
	if !m.Changed.Has(group) {
		return nil
	}
	last := stamp.Details{}
	maps.Copy(last, n.Last)
	for name, value := range held {
		before, known := n.Before[name]
		switch {
		case !known || before != digest(value) || last[name] == before:
		case before == "":
			delete(last, name)
		default:
			last[name] = before
		}
	}
	write = m.DecideDetails(group, held, want, &last)
	if n.Last = last; len(last) == 0 {
		n.Last = nil // as it is read back
	}
	if len(write) == 0 {
		return write
	}
	n.Before = maps.Clone(n.Before)
	if n.Before == nil {
		n.Before = map[string]string{}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(held)), slices.Collect(maps.Keys(want))) {
		if _, writes := write[name]; writes {
			n.Before[name] = digest(held[name])
		} else {
			delete(n.Before, name)
		}
	}
	return write
}

func digest(value string) string {
	if value == "" {
		return ""
	}
	return stamp.HashText(value).Exact
}
