// Package race tells tests whether the race detector slows them tenfold. They then try fewer places of a fault: each
// shows the same races.
package race
