package pagefile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"shop/domain"
	"shop/domain/catalog"
)

// Error is a fault of a file.
type Error struct {
	// File is its name, Line counts from 1.
	File string
	Line int
	// Field is as the front matter spells it; empty: the file as a whole.
	Field  string
	Reason string
}

func (e *Error) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s:%d: %s: %s", e.File, e.Line, e.Field, e.Reason)
}

// Pictures are the shop's own photographs by the path that texts name them by, without width and ending.
type Pictures map[string]catalog.Picture

// find answers a picture by that path, or by the address of its file.
func (p Pictures) find(name string) (catalog.Picture, bool) {
	if picture, found := p[name]; found {
		return picture, true
	}
	for _, picture := range p {
		if picture.Src == name {
			return picture, true
		}
	}
	return catalog.Picture{}, false
}

// Files answers the picture of a file beside the one that names it, or an error if it is no picture. Nil: there are no such files.
type Files func(name string) (catalog.Picture, error)

// words is a text of the front matter with its line; 0: it is missing.
type words struct {
	text string
	line int
}

func (w *words) UnmarshalYAML(node ast.Node) error {
	w.line = node.GetToken().Position.Line
	return yaml.NodeToValue(node, &w.text)
}

// file is a file taken apart.
type file struct {
	name string
	// body follows the front matter, from line bodyLine on.
	body     []byte
	bodyLine int
}

const fence = "---"

// open reads the front matter into fields, and refuses what they do not know.
func open(name string, source []byte, fields any) (file, error) {
	f := file{name: name}
	if !utf8.Valid(source) {
		return f, f.wrong(1, "", "the file is not UTF-8")
	}
	source = bytes.ReplaceAll(bytes.TrimPrefix(source, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	lines := strings.Split(string(source), "\n")
	end := 1
	for end < len(lines) && strings.TrimRight(lines[end], " ") != fence {
		end++
	}
	if strings.TrimRight(lines[0], " ") != fence || end == len(lines) {
		return f, f.wrong(1, "", "the file must begin with its fields between two lines of "+fence)
	}
	f.body, f.bodyLine = []byte(strings.Join(lines[end+1:], "\n")), end+2

	// The empty first line replaces the fence, so that line numbers are those of the file.
	front := "\n" + strings.Join(lines[1:end], "\n")
	err := yaml.UnmarshalWithOptions([]byte(front), fields, yaml.Strict())
	var unclear yaml.Error
	if !errors.As(err, &unclear) {
		return f, err
	}
	line := unclear.GetToken().Position.Line
	field, _, _ := strings.Cut(strings.TrimLeft(lines[line-1], " -"), ":")
	switch unclear.(type) {
	case *yaml.UnknownFieldError:
		return f, f.wrong(line, field, "there is no such field")
	case *yaml.TypeError, *yaml.UnexpectedNodeTypeError:
		return f, f.wrong(line, field, "the value is not of the kind that this field takes")
	}
	return f, f.wrong(line, "", unclear.GetMessage())
}

func (f file) wrong(line int, field, reason string) error {
	return &Error{File: f.name, Line: max(line, 1), Field: field, Reason: reason}
}

// blame turns a refusal into an error of the field that it is about; other errors stay as they are.
func (f file) blame(err error, fields map[*domain.Refusal]string, lines map[string]int) error {
	var refusal *domain.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	for about, field := range fields {
		if refusal.Is(about) {
			return f.wrong(lines[field], field, refusal.Message)
		}
	}
	return err
}
