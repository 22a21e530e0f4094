package keyring

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func keyFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.key")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustOpen(t *testing.T, path string) *Ring {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var anna, links = Use{"person", "0123456789abcdef"}, Use{"secret", "links"}

func TestAKeyUnwrapsForItsUseAlone(t *testing.T) {
	t.Parallel()
	line, id := Make()
	r, secret := mustOpen(t, keyFile(t, line)), bytes.Repeat([]byte("k1"), Size/2)
	wrapped, by := r.Wrap(links, secret)
	if len(wrapped) != WrappedSize || by != id || r.First() != id || bytes.Contains(wrapped, secret) {
		t.Fatalf("%x by %s, want %s", wrapped, by, id)
	}
	if got, err := r.Unwrap(links, wrapped); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("%x, %v", got, err)
	}
	for _, other := range []Use{{"secret", "mails"}, {"person", "links"}, anna} {
		if _, err := r.Unwrap(other, wrapped); !errors.Is(err, ErrDamaged) {
			t.Errorf("unwrapped for %s: %v", other, err)
		}
	}
	for i := range wrapped {
		changed := bytes.Clone(wrapped)
		changed[i] ^= 1
		if got, err := r.Unwrap(links, changed); err == nil {
			t.Errorf("unwrapped with byte %d changed: %x", i, got)
		}
	}
	if _, err := r.Unwrap(links, wrapped[:WrappedSize-1]); !errors.Is(err, ErrDamaged) {
		t.Errorf("a short one: %v", err)
	}
	// From before keys were wrapped, and without a file.
	for _, ring := range []*Ring{r, nil} {
		if got, err := ring.Unwrap(links, secret); err != nil || !bytes.Equal(got, secret) {
			t.Errorf("%x, %v", got, err)
		}
	}
	if _, err := (*Ring)(nil).Unwrap(links, wrapped); err == nil || !strings.Contains(err.Error(), "set SHOP_KEY_FILE") {
		t.Errorf("without a file: %v", err)
	}
}

func TestAFileIsReadAgainWhenItChanges(t *testing.T) {
	t.Parallel()
	first, old := Make()
	path := keyFile(t, first)
	r, other := mustOpen(t, path), mustOpen(t, path)
	fresh, made, err := Add(path, false)
	if err != nil || made {
		t.Fatal(made, err)
	}
	newer := mustOpen(t, path)
	if got := newer.IDs(); len(got) != 2 || got[0] != fresh || got[1] != old {
		t.Fatalf("keys %v, want %s before %s", got, fresh, old)
	}
	wrapped, _ := newer.Wrap(links, bytes.Repeat([]byte{1, 2}, Size/2))
	if _, err := r.Unwrap(links, wrapped); err != nil {
		t.Errorf("a process that began with the old file: %v", err)
	}
	other.looked = other.looked.Add(-2 * lookEvery)
	if got := other.First(); got != fresh {
		t.Errorf("it still wraps with %s", got)
	}
	// A file that went bad changes nothing, and says so where a key is missing.
	if err := os.WriteFile(path, []byte("garbage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other.looked = time.Time{}
	if got := other.First(); got != fresh {
		t.Errorf("it wraps with %s", got)
	}
	stranger, _ := Make()
	foreign, _ := mustOpen(t, keyFile(t, stranger)).Wrap(links, bytes.Repeat([]byte{1, 2}, Size/2))
	var unknown *Unknown
	if _, err := other.Unwrap(links, foreign); !errors.As(err, &unknown) || unknown.Reading == nil || !strings.Contains(err.Error(), "line 1 is no key") {
		t.Errorf("%v", err)
	}
}

func TestBadFilesAreRefusedInOneLine(t *testing.T) {
	t.Parallel()
	line, _ := Make()
	other, _ := Make()
	_, secret, _ := strings.Cut(strings.TrimSpace(line), " ")
	swapped := strings.Fields(line)[0] + " " + strings.Fields(other)[1]
	for name, c := range map[string]struct{ text, want string }{
		"empty":     {"", "no key in it"},
		"comments":  {"# nothing\n\n", "no key in it"},
		"garbage":   {"\x00\xff\xfe not base64 at all", "line 1 is no key"},
		"short":     {line + base64.StdEncoding.EncodeToString([]byte("too short")), "line 2 has a key of 9 bytes, want 32"},
		"zeros":     {base64.StdEncoding.EncodeToString(make([]byte, Size)), "one byte repeated"},
		"wrong id":  {swapped, "not the one of its id"},
		"twice":     {line + secret, "line 2 repeats"},
		"too large": {strings.Repeat("#", mostBytes+1), "which no key file has"},
	} {
		path := keyFile(t, c.text)
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, _, err := Add(path, false); err == nil {
			t.Errorf("%s: a key was added", name)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.text {
			t.Errorf("%s: the file was changed", name)
		}
	}
	for _, mode := range []os.FileMode{0o644, 0o604, 0o620, 0o666} {
		path := keyFile(t, line)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "chmod 0600") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	// What openssl rand -base64 32 prints is a key file.
	if got := mustOpen(t, keyFile(t, secret+"\n")).IDs(); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestAFileIsMadeForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "shop.key")
	id, made, err := Add(path, false)
	if err != nil || !made {
		t.Fatal(made, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	last, _, err := Add(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := mustOpen(t, path).IDs(); len(got) != 2 || got[0] != id || got[1] != last {
		t.Errorf("keys %v, want %s, %s", got, id, last)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if _, made, err := Add(filepath.Join(path, "below"), false); err == nil || made {
		t.Errorf("below a file: %v", err)
	}
}

// A sealed file opens with its key and for its use alone, and not when it was cut or changed.
func TestASealedFileOpensWithItsKeyAlone(t *testing.T) {
	t.Parallel()
	open := func() *Ring {
		path := filepath.Join(t.TempDir(), "shop.key")
		if _, _, err := Add(path, false); err != nil {
			t.Fatal(err)
		}
		ring, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		return ring
	}
	ring, text := open(), strings.Repeat("Толегенова Жибек ", 20_000)
	use := Use{Kind: "file", Of: "backup"}
	var file bytes.Buffer
	w, err := ring.Seal(use, &file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	read := func(ring *Ring, use Use, file []byte) (string, error) {
		r, err := ring.Unseal(use, bytes.NewReader(file))
		if err != nil {
			return "", err
		}
		got, err := io.ReadAll(r)
		return string(got), err
	}
	if got, err := read(ring, use, file.Bytes()); err != nil || got != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	changed := bytes.Clone(file.Bytes())
	changed[len(changed)/2] ^= 1
	for name, c := range map[string]struct {
		ring *Ring
		use  Use
		file []byte
	}{
		"another key": {open(), use, file.Bytes()}, "no key": {nil, use, file.Bytes()}, "another use": {ring, Use{Kind: "file", Of: "export"}, file.Bytes()},
		"cut": {ring, use, file.Bytes()[:file.Len()-1]}, "cut at a piece": {ring, use, file.Bytes()[:file.Len()-file.Len()%65536]}, "changed": {ring, use, changed}, "plain": {ring, use, []byte(text)},
	} {
		if _, err := read(c.ring, c.use, c.file); err == nil {
			t.Errorf("%s: it opens", name)
		}
	}
}
