package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

const (
	recheckPause = 2 * time.Second
	// mostRechecks bounds the rechecks of a publication: they last longer than the marketplace's
	// client needs to learn another form.
	mostRechecks = 8
)

// A FailedRead is a reading after which it is not known what the marketplace holds of a
// publication.
type FailedRead struct {
	Err error
	// Err objects to an assumed form, and may not be about the publication
	Suspect bool
	InARow  int // how many readings of the publication have failed in a row, with this one
}

// Recheck is the pause before a reading is made again that is only a suspicion. ok is false where
// it is a failure of the marketplace or of the publication.
func (f FailedRead) Recheck() (pause time.Duration, ok bool) {
	return recheckPause, f.Suspect && f.InARow <= mostRechecks
}

// Own is the failure of the publication itself, nil where the failure is the marketplace's: that is
// so at the first failed reading, and while calls to the marketplace are paused.
func (f FailedRead) Own(paused bool) *shopadapter.Error {
	if f.InARow <= 1 || paused {
		return nil
	}
	return shopadapter.Retry("its content cannot be read: %w", f.Err)
}
