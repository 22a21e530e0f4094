package mail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shop/domain"
)

func kept(t *testing.T, f Folder) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (f Folder) keep(t *testing.T, id byte, to string) {
	t.Helper()
	m := Message{ID: domain.ID{15: id}.String() + "@shop", Kind: KindResetCode, From: "shop@example.kz", To: to, Subject: "Код", Text: "1", HTML: "<p>1</p>", Date: noon}
	if err := f.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

func TestFolderForgetsAPerson(t *testing.T) {
	f := Folder{Path: filepath.Join(t.TempDir(), "mail"), Kept: time.Hour}
	if n, err := f.Forget("anna@example.kz"); n != 0 || err != nil {
		t.Errorf("without a folder: %d, %v", n, err)
	}
	f.keep(t, 1, "anna@example.kz")
	f.keep(t, 2, "Anna@Example.kz")
	f.keep(t, 3, "anna.b@example.kz")
	if err := os.WriteFile(filepath.Join(f.Path, "note.txt"), []byte("To: anna@example.kz\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Forget("old@example.kz", "ANNA@example.kz"); n != 2 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
	if names := kept(t, f); len(names) != 2 || !strings.HasSuffix(names[0], "03.eml") {
		t.Errorf("left: %q", names)
	}
}

func TestFolderSweepsWhatIsOld(t *testing.T) {
	f := Folder{Path: t.TempDir(), Kept: 7 * 24 * time.Hour}
	f.keep(t, 1, "anna@example.kz")
	f.keep(t, 2, "anna@example.kz")
	old := time.Now().Add(-8 * 24 * time.Hour)
	first := filepath.Join(f.Path, kept(t, f)[0])
	if err := os.Chtimes(first, old, old); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(f.Path, "note.txt")
	if err := os.WriteFile(note, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(note, old, old); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Sweep(time.Now()); n != 1 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
	if names := kept(t, f); len(names) != 2 {
		t.Errorf("left: %q", names)
	}
	if n, err := (Folder{Path: f.Path}).Sweep(time.Now().Add(time.Hour * 1e5)); n != 0 || err != nil {
		t.Errorf("without a limit: %d, %v", n, err)
	}
}

// The last letter goes to who is forgotten already: a folder does not remember it.
func TestFolderKeepsNoLastLetter(t *testing.T) {
	f := Folder{Path: t.TempDir(), Kept: time.Hour}
	m := Message{ID: "1@shop", Kind: KindAccountErased, From: "shop@example.kz", To: "anna@example.kz", Subject: "Аккаунт удалён", Text: "1", HTML: "<p>1</p>", Date: noon}
	if err := f.Send(t.Context(), m); err != nil || len(kept(t, f)) != 0 {
		t.Errorf("kept %q, %v", kept(t, f), err)
	}
	if f.Kept = 0; f.Send(t.Context(), m) != nil || len(kept(t, f)) != 1 {
		t.Errorf("a preview is not written: %q", kept(t, f))
	}
}
