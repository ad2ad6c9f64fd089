package store

// An unsigned webhook may ask for a look at what waits for another reason. Its wish is then kept
// beside that reason and is due in ClassHint, since looks at hints are paid for from another
// budget. A mark without another reason has ClassHint and no Hint.

// own is the mark without the wish of an unsigned webhook. ok is false where nothing else is left
// of it.
func (m Mark) own() (o Mark, ok bool) {
	m.Hint = 0
	return m, m.Class != ClassHint
}

// wish is when an unsigned webhook wants the look, 0 for none.
func (m Mark) wish() Instant {
	if m.Class == ClassHint {
		return max(m.At, 1)
	}
	return m.Hint
}

// wished is the mark with the wish of an unsigned webhook beside it. A wish is dropped where the
// mark is more urgent and due no later.
func (m Mark) wished(at Instant) Mark {
	if at != 0 && (m.Class > ClassHint || at < m.At) {
		m.Hint = at
	}
	return m
}

// Soonest is when the mark is due first.
func (m Mark) Soonest() Instant {
	if m.Hint != 0 {
		return min(m.At, m.Hint)
	}
	return m.At
}

// As is the mark as a key of the due set has it: for its own reason, or for an unsigned webhook.
func (m Mark) As(class Class) Mark {
	if class == ClassHint && m.Class != ClassHint {
		m.Class, m.At = ClassHint, m.Hint
	}
	return m
}

// Moved is the mark whose reason of a class is due at another time.
func (m Mark) Moved(class Class, to Instant) Mark {
	wish := to
	if class == m.Class {
		m.At, wish = to, m.Hint
	}
	m.Hint = 0
	return m.wished(wish)
}

// Rescheduled is the mark that is put off.
func (m Mark) Rescheduled(d Rescheduling) Mark {
	switch {
	case !d.Hint:
	case m.Class != ClassHint && m.Hint == 0:
		return m
	default:
		return m.Moved(ClassHint, d.At)
	}
	wish := m.Hint
	m.Cause |= d.Cause
	if wish == 0 || m.At < d.At {
		m.At = d.At
	}
	if m.Hint = 0; wish != 0 {
		m = m.wished(max(wish, d.At))
	}
	return m
}

// earlier is the earlier of two instants of which 0 is none.
func earlier(a, b Instant) Instant {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
