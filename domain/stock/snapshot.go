package stock

import "shop/domain"

// FoldRevision is raised with every change of what events make of the state: a snapshot of another revision is not used.
const FoldRevision = 3

// Snapshot is a State with all that is in it, to be written down.
type Snapshot struct {
	ProductID domain.ID        `json:"product_id"`
	OnHand    int64            `json:"on_hand"`
	Reserved  int64            `json:"reserved"`
	Held      map[string]int64 `json:"held"`
}

// Snapshot is the state, to be written down.
func (s State) Snapshot() Snapshot {
	held := make(map[string]int64, s.held.Len())
	for order, quantity := range s.held.All() {
		held[order] = quantity
	}
	return Snapshot{ProductID: s.ProductID, OnHand: s.OnHand, Reserved: s.Reserved, Held: held}
}

// State is what was written down.
func (s Snapshot) State() State {
	return State{ProductID: s.ProductID, OnHand: s.OnHand, Reserved: s.Reserved, held: domain.MapOf(s.Held)}
}
