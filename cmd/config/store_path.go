package config

import "strings"

// SplitStore parts the address of a store at "://" into its scheme and what stands behind that. A
// path has no scheme, nor has one that begins with the letter of a drive.
func SplitStore(address string) (scheme, rest string) {
	scheme, rest, found := strings.Cut(address, "://")
	if !found || len(scheme) < 2 || !only(scheme, letters+digits+"+-.") {
		return "", address
	}
	return strings.ToLower(scheme), rest
}
