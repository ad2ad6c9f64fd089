//go:build !linux && !darwin

package main

import "errors"

// freeSpace is how many bytes somebody may still write in a folder, which is not asked of this system.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
