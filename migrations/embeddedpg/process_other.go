//go:build unix && !linux

package embeddedpg

import (
	"os/exec"
	"strconv"
	"strings"
)

// commandLine is how a process was called; empty when it is gone. Arguments with spaces come apart.
func commandLine(pid int) []string {
	text, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

// dieWithThread can do nothing here: only Linux ties a process to the life of another.
func dieWithThread(*exec.Cmd) {}

// backends are not looked for here: only Linux tells where a process works.
func backends(string) []int { return nil }
