// Package race tells tests whether they run under the race detector, which makes them ten times as
// slow. A law that tries a fault at each place in turn finds no race at one place that it does not
// find at another, so fewer places are enough there. Without the detector all of them are tried.
package race
