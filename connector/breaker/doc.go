// Package breaker holds the circuit breakers before the shop and the marketplace. It also has what
// loops wait with: signals and backoff.
//
// A closed breaker lets every call through. An open one lets none through: each loop looks at
// Status before it calls, and waits for Changed. An open breaker closes when its pause is over;
// from then on one call at a time is let through until one of them succeeds.
//
// # Learned state, and its reset
//
//	failures in a row         three publications that fail twice, or eight that fail once, open it;
//	                          reset by a success
//	pauses in a row           each lasts up to twice as long as the one before, MaxPause at most;
//	                          reset by a success
//	a Retry-After             no call before that time, MaxRetryAfter at most; ends at its time, or with
//	                          a check of the shop that passes
//	a refusal                 credentials or an address are refused; ends with Release, a check that
//	                          passes, a success, or, where there is no check, with its pause
//	checks that misled        the time between two checks of the shop doubles; reset by a success
//	reasons that were logged  each is logged once; reset by a success
//
// A person's request calls Release, which ends every pause but a Retry-After. A restart ends all of
// them.
//
// A person sees a side as paused, with the reason and since when, from the moment the breaker opens
// until a call succeeds or a check passes. Between two tries the breaker is closed for a moment,
// and the side still counts as paused.
//
// # What it keeps
//
//   - A side shows as paused, with the reason and since when, from the moment it cannot be used
//     until it answers well again. Each reason is logged once. Only a completed sweep moves the
//     time of the last one.
package breaker
