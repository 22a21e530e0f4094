package content

import "time"

// Command asks a content block to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Change replaces a block; the same content again adds nothing.
type Change struct {
	Name   string
	Text   string
	Slides []Slide
	// Source is what Text was made of.
	Source string
	At     time.Time
}

func (Change) isCommand() {}
