//go:build unix

package nodeserver

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the command head of a process group, so that its children end with it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func endGroup(p *os.Process, atOnce bool) error {
	signal := syscall.SIGTERM
	if atOnce {
		signal = syscall.SIGKILL
	}
	return syscall.Kill(-p.Pid, signal)
}
