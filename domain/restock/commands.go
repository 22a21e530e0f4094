package restock

import (
	"time"

	"shop/domain"
)

// Command asks a waiting list to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Subscribe puts a customer at the end of the list of a product that exists.
type Subscribe struct {
	ProductID  domain.ID
	CustomerID domain.ID
	// Available is how many pieces are free now.
	Available int64
	At        time.Time
}

// Notify notifies the waiting customers, longest waiting first, while pieces are free. It may be repeated: each subscription
// is notified once, and an empty list appends nothing.
type Notify struct {
	// Available is how many pieces are free now. 0: they are sold again, and nobody is notified.
	Available int64
	// Limit is how many are notified at once; 0 notifies all. Repeat the command while any are Waiting.
	Limit int
	At    time.Time
}

// Unsubscribe takes a customer off the list; not being on it adds nothing.
type Unsubscribe struct {
	CustomerID domain.ID
	At         time.Time
}

func (Subscribe) isCommand()   {}
func (Notify) isCommand()      {}
func (Unsubscribe) isCommand() {}
