package store

import "context"

// Wake makes due at now every mark that lies ahead and for which a rule says so, and returns how
// many. Refreshes are never woken. What an unsigned webhook wants besides the reason of a mark is
// put to the rule as a mark of its own.
func Wake(ctx context.Context, s Store, now Instant, rule func(Mark) bool) (int, error) {
	var ahead []Mark
	for m, err := range Marks(ctx, s, DueQuery{Classes: Timely, From: now + 1, To: Latest}) {
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
	return s.BringForward(ctx, now, ahead...)
}

// Advance has every refresh that lies after latest come due then, and returns how many.
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
