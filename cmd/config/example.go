package config

import (
	"fmt"
	"strings"
)

// Example is config.example.env for the adapters compiled in: every setting, commented out, with
// its default and its meaning.
func Example() string {
	var b strings.Builder
	b.WriteString("# Settings of pubsync, each with its default. Copy this file, take the # away where you set " +
		"something, and start\n# `pubsync run --env-file FILE`. The process environment wins over the file. Put " +
		"values with $ or # in single quotes.\n# Each secret also has a form that names a file to read: " +
		"PUBSYNC_MARKETPLACE_TOKEN_FILE=/run/secrets/token.\n# It is a regular file, or a link to one, of at most 64 " +
		"KiB, and holds the secret alone, with at most one newline at its end.\n# A worker reads secrets from these " +
		"files, and from the env files, again every minute, and every ten seconds while one is refused.\n")
	for _, v := range Variables() {
		if v.Group != "" {
			fmt.Fprintf(&b, "\n# --- %s ---\n", v.Group)
		}
		note := ""
		if v.Secret {
			note = " (secret)"
		}
		fmt.Fprintf(&b, "\n# %s%s\n#%s=%s\n", v.Meaning, note, v.Name, v.Default)
	}
	return b.String()
}
