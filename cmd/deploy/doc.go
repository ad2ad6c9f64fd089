// Package deploy has the files with which pubsync is run and watched. README.md says which file is for whom.
package deploy
