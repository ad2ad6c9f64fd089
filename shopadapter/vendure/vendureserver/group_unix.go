//go:build unix

package vendureserver

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the command the head of a process group, so that whatever it starts ends with it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends the process and its group, at once or as it likes.
func endGroup(p *os.Process, atOnce bool) error {
	signal := syscall.SIGTERM
	if atOnce {
		signal = syscall.SIGKILL
	}
	return syscall.Kill(-p.Pid, signal)
}
