package settings

import "time"

// Command asks the settings to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Publish replaces the settings; the same ones again add nothing.
type Publish struct {
	Settings Settings
	// Expected is the version that the change was made of; nil: whichever is in force.
	Expected *int64
	At       time.Time
}

func (Publish) isCommand() {}

// Withdraw has the configuration hold again, as before the first publication.
type Withdraw struct{ At time.Time }

func (Withdraw) isCommand() {}
