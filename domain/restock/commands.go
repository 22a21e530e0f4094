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

// Notify tells those who wait, the longest waiting first, while pieces are free. It may be asked for any number of
// times: nobody is told twice for one subscription, and a list that is empty adds nothing.
type Notify struct {
	// Available is how many pieces are free now. 0: they are gone again, and so is the news.
	Available int64
	// Limit is how many are told at once; 0 tells all. Ask again while any are Waiting.
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
