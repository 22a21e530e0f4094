package embeddedpg

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// commandLine is how a process was called; empty when it is gone. Unlike most of /proc it is readable for
// every account, also in containers that take root's right to look into other processes.
func commandLine(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// dieWithThread has the kernel shut the server down, at once, when the thread that starts it ends.
func dieWithThread(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT }
