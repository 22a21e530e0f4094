package words

import (
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestEveryWordIsFound looks up each line of the dictionary, and what would lie beside it.
func TestEveryWordIsFound(t *testing.T) {
	t.Parallel()
	file, err := files.Open("dictionary/ru.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	_, words, _ := strings.Cut(string(text), "\n\n")
	known := 0
	for line := range strings.Lines(words) {
		word, want, _ := strings.Cut(strings.TrimSpace(line), "/")
		if flags, ok := Dictionary().flags(word); !ok || flags != want {
			t.Fatalf("%s has the rules %q (%v), want %q", word, flags, ok, want)
		}
		if _, ok := Dictionary().flags(word + "ъъ"); ok {
			t.Fatalf("%sъъ is in the dictionary", word)
		}
		known++
	}
	if known < 100_000 {
		t.Errorf("the dictionary has %d words", known)
	}
}

func TestADictionaryOutOfOrderIsRefused(t *testing.T) {
	t.Parallel()
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "A 0 ами .\n\nмыло\nкрем\n")
	z.Close()
	if _, err := read(strings.NewReader(packed.String())); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("a dictionary whose words are not in order: %v", err)
	}
}

func TestVerbsAndForms(t *testing.T) {
	t.Parallel()
	d := Dictionary()
	for word, want := range map[string]bool{"смягчить": true, "расчёсываться": false, "расчесываться": true, "кровать": false, "сеть": false, "крем": false} {
		if d.IsVerb(word) != want {
			t.Errorf("%s is a verb: %v", word, !want)
		}
	}
	if forms := d.Forms("крем"); !slices.Contains(forms, "кремами") || slices.Contains(forms, "крем-") || d.Forms("смягчить") != nil {
		t.Errorf("forms of крем: %v", forms)
	}
}
