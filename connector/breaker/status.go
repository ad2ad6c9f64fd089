package breaker

import "time"

// Status is a breaker at one moment.
type Status struct {
	Open bool // no call may be made
	// as a person is told: from the moment it opens until a call succeeds or a check passes,
	// between two tries too
	Paused  bool
	Until   time.Time     // the end of the pause; zero where there is none
	Firm    bool          // the other side set the pause, by a Retry-After
	Refused bool          // the other side refuses credentials or the address
	Begun   time.Time     // of the present pause
	Span    time.Duration // of the pause, counted from the call that set it last
	Since   time.Time     // of the trouble as a whole; zero when all is well
	Reason  string        // of the trouble
	Checked bool          // the side can be checked
	Misled  int           // checks in a row that passed though the side was not back
}

// shortPause is the span up to which no check ends a pause.
const shortPause = time.Minute

// Checkable reports whether a check may end the pause before its time.
func (s Status) Checkable() bool { return s.Checked && s.Span > shortPause }

// Refuses reports whether the trouble is that credentials or an address are refused.
func (s Status) Refuses() bool { return s.Paused && s.Refused }

// Wait is how long to sleep before an open breaker is looked at again, unless it changes before.
func (s Status) Wait(now time.Time) time.Duration {
	if d := s.Until.Sub(now); d > 0 {
		return d
	}
	return Idle
}

// putOffSpread is how far a try that was put off to the end of a pause may be from it: each refused
// call counts the wait from its own end.
const putOffSpread = time.Minute

// PutOff reports whether a try at a time was put off to the end of the pause.
func (s Status) PutOff(at time.Time) bool {
	first := s.Begun.Add(s.Span) // the end of the pause for the call that was refused first
	return !at.Before(first.Add(-putOffSpread)) && !at.After(s.Latest())
}

// Latest is the latest time to which a try may have been put off because of the pause.
func (s Status) Latest() time.Time { return s.Until.Add(putOffSpread) }

// Asked is a message about the pause that the shop asked for, "" where there is none.
func (s Status) Asked(now time.Time) string {
	if !s.Open || !s.Firm || !now.Before(s.Until) {
		return ""
	}
	return "the shop asked for a pause until " + s.Until.UTC().Format(time.RFC3339) + ": " + s.Reason
}
