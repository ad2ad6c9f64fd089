package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

const (
	recheckPause = 2 * time.Second
	// mostRechecks bounds the rechecks of a publication: they outlast the time that the marketplace's
	// client takes to learn another form.
	mostRechecks = 8
)

// A FailedRead is a reading after which it is not known what the marketplace holds of a publication.
type FailedRead struct {
	Err error
	// Err objects to a form that had to be assumed: whether that is meant is not known yet
	Suspect bool
	InARow  int // how many readings of the publication have failed in a row, with this one
}

// Recheck says after which pause a reading is made again that says nothing of the marketplace nor of
// the publication. ok is false where it says something.
func (f FailedRead) Recheck() (pause time.Duration, ok bool) {
	return recheckPause, f.Suspect && f.InARow <= mostRechecks
}

// Own is the failure of the publication itself, nil where the failure is the marketplace's: at the
// first reading, and while calls to the marketplace are paused.
func (f FailedRead) Own(paused bool) *shopadapter.Error {
	if f.InARow <= 1 || paused {
		return nil
	}
	return shopadapter.Retry("its content cannot be read: %w", f.Err)
}
