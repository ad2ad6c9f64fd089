package storetest

import "time"

// SetPatience says how long an engine may take to bring to the due set what was accepted.
func SetPatience(d time.Duration) { patience = d }
