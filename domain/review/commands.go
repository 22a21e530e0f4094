package review

import (
	"time"

	"shop/domain"
)

// Command asks a review to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Post publishes a review of a product that exists. The photos are stored already.
type Post struct {
	ID         domain.ID
	ProductID  domain.ID
	CustomerID domain.ID
	// PersonID is new for each review.
	PersonID domain.ID
	Author   Author
	Rating   int64
	Content  string
	PhotoIDs []domain.ID
	// Moderated: the rules of the moment let staff look first.
	Moderated bool
	At        time.Time
}

// Import records a review of another shop's past, of which neither an author nor a text need be known. Repeating it adds
// nothing.
type Import struct {
	ID        domain.ID
	ProductID domain.ID
	PersonID  domain.ID
	Rating    int64
	Content   string
	At        time.Time
}

// Answer sets the shop's reply, an empty one takes it away; the same one adds nothing.
type Answer struct {
	Text string
	At   time.Time
}

// Hide takes a review out of sight, or refuses one that waits; a hidden one adds nothing. Staff need a reason.
type Hide struct {
	Reason string
	At     time.Time
}

// Show puts a hidden or waiting review in sight; a shown one adds nothing.
type Show struct{ At time.Time }

// RemovePhotos takes the photos out; without any it adds nothing.
type RemovePhotos struct{ At time.Time }

// Forget says that author and text are forgotten. Repeating it adds nothing.
type Forget struct{ At time.Time }

func (Post) isCommand()         {}
func (Import) isCommand()       {}
func (Answer) isCommand()       {}
func (Hide) isCommand()         {}
func (Show) isCommand()         {}
func (RemovePhotos) isCommand() {}
func (Forget) isCommand()       {}
