package rules

import "time"

// Command asks the rules to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Change replaces the rules; the same rules again add nothing.
type Change struct {
	Rules Rules
	At    time.Time
}

func (Change) isCommand() {}
