package rules

import "time"

// Command asks the rules to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Change replaces the rules; the same rules again add nothing.
type Change struct {
	Rules Rules
	// Expected is the version that the change was made of; 0: whichever is in force.
	Expected int64
	At       time.Time
}

func (Change) isCommand() {}
