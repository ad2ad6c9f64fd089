package desk

import (
	"fmt"
	"time"
)

// Progress is how far a run has come.
type Progress struct {
	Listed    int           // entries of the import list; Elsewhere: not known
	Done      int64         // publications that were created, updated, withdrawn or found unchanged; as Listed
	Due       int           // publications that are due
	PerMinute float64       // how many were done, of late; 0: not known yet
	Left      time.Duration // until all that is due is done, if that goes on; 0: not known yet
	Elsewhere bool          // of the worker that makes the run: it does more than the run asked for
}

func (p Progress) String() string {
	text := fmt.Sprintf("%d listed, %d done, %d due", p.Listed, p.Done, p.Due)
	if p.Elsewhere {
		text = fmt.Sprintf("the worker has %d due", p.Due)
	}
	if p.PerMinute > 0 {
		text += fmt.Sprintf(", %.0f a minute", p.PerMinute)
	}
	if p.Left > 0 {
		text += ", about " + Span(p.Left) + " left"
	}
	return text
}

// Span writes a time that is an estimate: in seconds, in minutes or in hours and minutes.
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(1, int(d.Round(time.Second)/time.Second)))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Round(time.Minute)/time.Minute))
	default:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", int(d/time.Hour), int(d%time.Hour/time.Minute))
	}
}
