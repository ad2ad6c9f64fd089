package say

import "time"

// Ago writes a past time for people.
func Ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format(time.DateTime) + " (" + time.Since(t).Round(time.Second).String() + " ago)"
}

// Ahead writes a time to come for people.
func Ahead(t *time.Time) string {
	if t == nil {
		return "not scheduled"
	}
	return t.Local().Format(time.DateTime) + " (in " + time.Until(*t).Round(time.Second).String() + ")"
}
