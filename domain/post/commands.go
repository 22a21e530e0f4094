package post

import (
	"time"

	"shop/domain"
)

// Command asks a post to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Publish puts a post in sight; a published one is changed to it. The same article adds nothing, so a folder of files
// may be published again and again.
type Publish struct {
	ID domain.ID
	// Article's PublishedAt may be zero: the date stays what it was, or becomes At.
	Article Article
	// LinkTaken: another post has this link.
	LinkTaken bool
	At        time.Time
}

// Change replaces a published post; the same article adds nothing.
type Change struct {
	// Article's PublishedAt may be zero: the date stays what it was.
	Article Article
	// LinkTaken: another post has this link.
	LinkTaken bool
	At        time.Time
}

// Unpublish takes a post out of sight; one that is not in sight adds nothing.
type Unpublish struct{ At time.Time }

func (Publish) isCommand()   {}
func (Change) isCommand()    {}
func (Unpublish) isCommand() {}
