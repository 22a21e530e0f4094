package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// auditWith runs .ci/audit with stand-ins for go and npm, each a script, and returns how it ended and what it said.
func auditWith(t *testing.T, goTool, npm string, env ...string) (status int, said string) {
	t.Helper()
	script, err := os.ReadFile("../../.ci/audit")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, text := range map[string]string{".ci/audit": string(script), "bin/go": "#!/bin/bash\n" + goTool, "bin/npm": "#!/bin/bash\n" + npm, "web/openapi/x": ""} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), filepath.Join(root, ".ci/audit"))
	c.Env = append(append(os.Environ(), "PATH="+filepath.Join(root, "bin")+":"+os.Getenv("PATH"), "AUDIT_OFFLINE="), env...)
	out, err := c.CombinedOutput()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode(), string(out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, string(out)
}

// What the tools say, by their names in the command line.
const (
	goClean = `case "$*" in *govulncheck*) echo "No vulnerabilities found.";; *golangci*) echo "0 issues.";; *cyclonedx*) while [ $# -gt 0 ]; do [ "$1" = -output ] && echo '{}' >"$2"; shift; done;; esac
`
	npmClean = `case "$*" in audit*) echo '{"vulnerabilities":{},"metadata":{"vulnerabilities":{"total":0}}}';; *) echo '{}';; esac
`
	goOffline  = `echo "dial tcp: lookup vuln.go.dev: no such host" >&2; echo "exit status 1" >&2; exit 1` + "\n"
	npmOffline = `case "$*" in audit*) echo '{"message":"getaddrinfo ENOTFOUND npm.example"}'; exit 1;; *) echo '{}';; esac` + "\n"
)

// TestAnAuditThatCouldNotRunIsNoPass: only what was looked at and found clean counts as clean.
func TestAnAuditThatCouldNotRunIsNoPass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		goTool, npm string
		env         []string
		status      int
		says        []string
	}{
		"clean":          {goClean, npmClean, nil, 0, []string{"ok           govulncheck", "ok           npm audit", "ok           gosec", "ok           bill of materials: Go"}},
		"no network":     {goOffline, npmOffline, nil, 2, []string{"NOT REACHED  govulncheck", "NOT REACHED  npm audit", "NOT REACHED  gosec", "NOT REACHED  bill of materials: Go", "ok           bill of materials: npm", "no such host", "Not everything was checked"}},
		"a proxy's page": {goClean, "echo '<html>sign in</html>'; exit 0\n", nil, 1, []string{"FAILED       npm audit"}},
		"packages badly installed": {goClean, `case "$*" in sbom*) echo 'npm error code ESBOMPROBLEMS: missing: react' >&2; exit 1;; esac` + "\n" + npmClean,
			[]string{"AUDIT_OFFLINE=1"}, 1, []string{"ok           npm audit", "FAILED       bill of materials: npm, web: see audit/npm-web.cdx.json.log"}},
		"a tool that breaks":  {"case \"$*\" in *golangci*) echo 'typechecking error'; exit 3;; esac\n" + goClean, npmClean, []string{"AUDIT_OFFLINE=1"}, 1, []string{"FAILED       gosec", "ok           govulncheck"}},
		"accepted":            {goOffline, npmOffline, []string{"AUDIT_OFFLINE=1"}, 0, []string{"NOT REACHED  govulncheck", "was not looked at"}},
		"a vulnerable module": {"case \"$*\" in *govulncheck*) echo 'Vulnerability #1: GO-1'; echo 'exit status 3' >&2; exit 1;; esac\n" + goClean, npmClean, nil, 1, []string{"FOUND 1      govulncheck"}},
		"a vulnerable package": {goClean, `case "$*" in audit*) echo '{"vulnerabilities":{},"metadata":{"vulnerabilities":{"total":2}}}'; exit 1;; *) echo '{}';; esac` + "\n",
			[]string{"AUDIT_OFFLINE=1"}, 1, []string{"FOUND 2      npm audit"}},
		"insecure code": {"case \"$*\" in *golangci*) echo 'a.go:1: G404'; echo '1 issues:'; exit 1;; esac\n" + goClean, npmClean, nil, 1, []string{"FOUND 1      gosec"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, said := auditWith(t, c.goTool, c.npm, c.env...)
			if status != c.status {
				t.Errorf("ended with %d, want %d: %s", status, c.status, said)
			}
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("does not say %q: %s", want, said)
				}
			}
		})
	}
}

// TestNobodyDecodesWebP: bytes of shoppers never reach the library's decoder; it gets pixels, to encode. Decision 23.
func TestNobodyDecodesWebP(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("../../commands/photos/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("%d sources, %v", len(sources), err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "webp.Decode") && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s decodes WebP", name)
		}
	}
	users, err := exec.CommandContext(t.Context(), "grep", "-rlE", "--include=*.go", `^\s+(_ )?"github.com/deepteams/webp"`, "../../cmd", "../../commands", "../../readapi").Output()
	if err != nil {
		t.Fatal(err)
	}
	for user := range strings.FieldsSeq(string(users)) {
		// The demo decodes pictures that came with the program.
		if !strings.HasPrefix(user, "../../commands/photos/") && user != "../../cmd/shop/demo/load_people.go" {
			t.Errorf("%s uses the library", user)
		}
	}
}

// TestNamedProofsExist: every test that docs/security.md names is one.
func TestNamedProofsExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := exec.CommandContext(t.Context(), "grep", "-rhoE", "--include=*_test.go", `^func Test\w+`,
		"../../cmd", "../../commands", "../../domain", "../../eventstore", "../../migrations", "../../projections", "../../readapi").Output()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(tests)) {
		there[strings.TrimSpace(strings.TrimPrefix(line, "func "))] = true
	}
	named := regexp.MustCompile("`(Test[^`]*)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 80 {
		t.Errorf("%d tests are named", len(named))
	}
	for _, n := range named {
		if !there[n[1]] {
			t.Errorf("no test is named %s", n[1])
		}
	}
}
