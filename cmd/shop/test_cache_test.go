package main_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestACommandLineReRunsItsOwnTestsAlone: Go runs a test again when a package changed that its binary is linked of. The command line is in the
// binary of cmd/shop, whose tests start the program, and in no other: tests of pages, storms and endpoints stay cached.
func TestACommandLineReRunsItsOwnTestsAlone(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-test",
		"-f", `{{if .ForTest}}{{.ForTest}} {{join .Deps " "}}{{end}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	binaries, linked := 0, false
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		binaries++
		tested := strings.TrimPrefix(fields[0], module)
		for _, dep := range fields[1:] {
			if !under(strings.TrimPrefix(dep, module), "cmd/shop/cli/...") {
				continue
			}
			if linked = true; tested != "cmd/shop" && !under(tested, "cmd/shop/cli/...") {
				t.Errorf("the tests of %s are run again by a change in %s", tested, dep)
			}
		}
	}
	if binaries < 50 || !linked {
		t.Fatalf("go list tells of %d test binaries; cmd/shop has the command line in its own: %v", binaries, linked)
	}
}
