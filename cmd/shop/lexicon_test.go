package main

import (
	"strings"
	"testing"
)

// The lexicon is set from the file that the command to print it made, as the manual says, with or without front matter; a line that says
// nothing is refused by its number in that file.
func TestTheLexiconIsSetAsItIsPrinted(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	printed := p.ok("search", "words")
	if !strings.Contains(printed, "шампунь") {
		t.Fatalf("no lexicon: %.200s", printed)
	}
	file := p.file("synonyms.md", printed)
	p.says("synonyms: changed\n", "content", "set", "synonyms", file)
	p.says("synonyms: is so already\n", "content", "set", "synonyms", file)
	p.says("synonyms: changed\n", "content", "set", "synonyms", p.file("front.md", "---\ntext: крем = мазь\n---\n"))
	p.refuses("bad.md: line 2 says nothing: крем", "content", "set", "synonyms", p.file("bad.md", "крем = мазь\nкрем\n"))
	p.refuses("other.md:1: the file must begin with its fields", "content", "set", "discount-text", p.file("other.md", "Скидка"))
}
