package document

import "time"

// Command asks a document to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Publish puts a text into force as a new version; the text in force adds nothing.
type Publish struct {
	Name   string
	RU, KK Text
	At     time.Time
}

// Withdraw takes the version in force out of it; where there is none, it adds nothing.
type Withdraw struct {
	Name string
	At   time.Time
}

func (Publish) isCommand()  {}
func (Withdraw) isCommand() {}
