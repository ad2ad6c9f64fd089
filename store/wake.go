package store

import "context"

// Wake makes due now every mark that is due later and for which the rule returns true, and returns
// how many. Of the refreshes, of which there is one for each publication, the rule is asked about
// those alone that wait for another try and are due at soon at the latest. The look that an
// unsigned webhook asks for beside another reason is given to the rule as a mark of its own.
func Wake(ctx context.Context, s Store, now, soon Instant, rule func(Mark) bool) (int, error) {
	var ahead []Mark
	for _, q := range []DueQuery{
		{Classes: Timely, From: now + 1, To: Latest},
		{Classes: ClassesOf(ClassRefresh), Causes: CauseRetry, From: now + 1, To: soon},
	} {
		for m, err := range Marks(ctx, s, q) {
			if err != nil {
				return 0, err
			}
			if m.Class == ClassHint {
				m.Cause = CauseUnsigned
			}
			if rule(m) {
				ahead = append(ahead, m)
			}
		}
	}
	return s.BringForward(ctx, now, ahead...)
}

// Advance brings every refresh that is due after latest forward to that moment, and returns how
// many.
func Advance(ctx context.Context, s Store, latest Instant) (int, error) {
	var ahead []Mark
	for m, err := range Marks(ctx, s, DueQuery{Classes: ClassesOf(ClassRefresh), From: latest + 1, To: Latest}) {
		if err != nil {
			return 0, err
		}
		ahead = append(ahead, m)
	}
	return s.BringForward(ctx, latest, ahead...)
}
