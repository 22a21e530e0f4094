package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shop/cmd/shop/terminal"
)

// A process whose folder is not the shop's takes and deletes no photos: it would delete the rows of photos, and no file.
func TestPoliciesRefuseAForeignFolder(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	beside := program{t, append(append([]string{}, p.env...), "SHOP_DATA_DIR="+t.TempDir())}
	early := beside.serve("--roles", "projectors,policies") // before anybody has chosen a folder
	s := p.serve()
	<-early.ended
	if said := early.stderr.String(); early.cmd.ProcessState.ExitCode() != terminal.Failed || !strings.Contains(said, "is not this shop's folder of photos") {
		t.Errorf("who was there first ended with %d: %s", early.cmd.ProcessState.ExitCode(), said)
	}
	mark := filepath.Join(p.config().DataDir, "blobs", ".shop")
	chosen, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	for _, roles := range []string{"policies", "projectors,policies", "web,projectors,policies", "web"} {
		got := beside.run("serve", "--roles", roles)
		if got.status != terminal.Failed || !strings.Contains(got.stderr, "SHOP_DATA_DIR") || !strings.Contains(got.stderr, strings.TrimSpace(string(chosen))) {
			t.Errorf("%s: %+v", roles, got)
		}
	}
	if got := beside.run("customers", "erase", "01965b8e-7c00-7000-8000-000000000001", "--confirm"); got.status != terminal.Failed || !strings.Contains(got.stderr, "folder of photos") {
		t.Errorf("erase: %+v", got)
	}
	beside.serve("--roles", "projectors").stop() // which has nothing to do with photos
	s.stop()
	p.serve().stop() // its own folder still does

	// A shop from before there was a mark: the folder with a photo of it is the shop's, an empty one is not.
	s = p.serve()
	bearer := s.register("anna@example.kz")
	s.portrait(bearer, 100)
	s.stop()
	if _, err := p.pool().Exec(t.Context(), "DELETE FROM photo_folder"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	if got := beside.run("serve"); got.status != terminal.Failed || !strings.Contains(got.stderr, "none of the photos") {
		t.Errorf("an empty folder: %+v", got)
	}
	p.serve().stop()
	if again, err := os.ReadFile(mark); err != nil || string(again) != string(chosen) {
		t.Errorf("the mark is %q, %v", again, err)
	}
	if err := os.WriteFile(mark, []byte("another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := p.run("serve"); got.status != terminal.Failed || !strings.Contains(got.stderr, "another shop") {
		t.Errorf("the folder of another shop: %+v", got)
	}
}
