//go:build !unix

package nodeserver

import (
	"os"
	"os/exec"
)

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// endGroup ends the process.
func endGroup(p *os.Process, _ bool) error { return p.Kill() }
