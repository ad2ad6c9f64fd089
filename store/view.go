package store

import (
	"iter"
	"time"
)

// A View reads a store and cannot write it: what a plan is made from.
type View struct{ s *Store }

// View is the store without its writing methods.
func (s *Store) View() View { return View{s} }

// Get is the record of one publication.
func (v View) Get(id string) (Record, bool, error) { return v.s.Get(id) }

// Records ranges over all records in the order of their ids.
func (v View) Records() iter.Seq2[Record, error] { return v.s.Records("") }

// CursorOf is the cursor stored under name.
func (v View) CursorOf(name string) (Cursor, bool, error) { return v.s.CursorOf(name) }

// PreviewSKUs is the SKUs that variants would be given.
func (v View) PreviewSKUs(id string, order []string, want map[string]string) (map[string]string, error) {
	return v.s.PreviewSKUs(id, order, want)
}

// RemovedSince counts the removals done at or after t.
func (v View) RemovedSince(t time.Time) (int, error) { return v.s.RemovedSince(t) }

// Meta is a small fact about the store as a whole.
func (v View) Meta(key string) (string, error) { return v.s.Meta(key) }

// Marked is the ids of the publications whose mark is such as which says.
func (v View) Marked(which func(Mark) bool) ([]string, error) { return v.s.marked(which) }
