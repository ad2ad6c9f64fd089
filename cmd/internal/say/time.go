package say

import "time"

// Ago is a time as a person says it.
func Ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format(time.DateTime) + " (" + time.Since(t).Round(time.Second).String() + " ago)"
}

// Ahead is a time to come as a person says it.
func Ahead(t *time.Time) string {
	if t == nil {
		return "not scheduled"
	}
	return t.Local().Format(time.DateTime) + " (in " + time.Until(*t).Round(time.Second).String() + ")"
}
