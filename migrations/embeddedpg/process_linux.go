package embeddedpg

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// backends are the processes of a server on the folder but its postmaster, as far as this account may see where a process works.
func backends(dir string) (pids []int) {
	ours, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	entries, _ := filepath.Glob("/proc/[0-9]*") // none without /proc
	for _, entry := range entries {
		pid, err := strconv.Atoi(filepath.Base(entry))
		if err != nil {
			continue
		}
		title := commandLine(pid)
		if len(title) == 0 || !strings.HasPrefix(title[0], "postgres: ") {
			continue
		}
		if works, err := os.Stat(filepath.Join(entry, "cwd")); err == nil && os.SameFile(works, ours) {
			pids = append(pids, pid)
		}
	}
	return pids
}
