// Package deploy has no code: it is the files with which pubsync is run and watched, and the tests
// that read each of them. README.md says which file is for whom.
package deploy
