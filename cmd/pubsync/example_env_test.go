package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the code says into config.example.env and other golden files")

// exampleEnv is config.example.env as the code has it.
func exampleEnv() string {
	var b strings.Builder
	b.WriteString("# Settings of pubsync, each with its default. Copy this file, take the # away where you set something, and start\n" +
		"# `pubsync run --env-file FILE`. The process environment wins over the file. Put values with $ or # in single quotes.\n" +
		"# Each secret also has a form that names a file to read: PUBSYNC_MARKETPLACE_TOKEN_FILE=/run/secrets/token.\n")
	for _, v := range allVariables() {
		if v.group != "" {
			fmt.Fprintf(&b, "\n# --- %s ---\n", v.group)
		}
		note := ""
		if v.secret {
			note = " (secret)"
		}
		fmt.Fprintf(&b, "\n# %s%s\n#%s=%s\n", v.meaning, note, v.name, v.def)
	}
	return b.String()
}

// TestExampleEnv holds config.example.env to the code: every setting of the connector and of each adapter, its default and its meaning.
func TestExampleEnv(t *testing.T) {
	const file = "../../config.example.env"
	want := exampleEnv()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the code says; go test ./cmd/pubsync -run TestExampleEnv -update writes it", file)
	}
}
