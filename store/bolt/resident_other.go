//go:build !linux

package bolt

// letGo leaves it to the system which pages of the file stay in memory.
func (s *Store) letGo() {}
