package promocode

import "shop/domain"

// FoldRevision is raised with every change of what events make of the state: a snapshot of another revision is not used.
const FoldRevision = 4

// Snapshot is a State without its buyers, to be written down. Buyers are personal: only events, where they are sealed, say who
// they were.
type Snapshot struct {
	Code    string   `json:"code"`
	Terms   Terms    `json:"terms"`
	Revoked bool     `json:"revoked"`
	Uses    int64    `json:"uses"`
	Orders  []string `json:"orders"`
	// Issued is every issue, in its order: what an order cost goes by the terms of its day.
	Issued []Issued `json:"issued"`
}

// Snapshot is the state, to be written down. The terms must not be limited per customer, or all its uses are needed.
func (s State) Snapshot() Snapshot {
	orders := make([]string, 0, s.byOrder.Len())
	for order := range s.byOrder.All() {
		orders = append(orders, order)
	}
	return Snapshot{Code: s.Code, Terms: s.Terms, Revoked: s.Revoked, Uses: s.Uses, Orders: orders, Issued: s.issued}
}

// State is what was written down. It knows the buyers of later uses alone.
func (s Snapshot) State() State {
	orders := make(map[string]use, len(s.Orders))
	for _, order := range s.Orders {
		orders[order] = use{}
	}
	return State{Code: s.Code, Terms: s.Terms, Revoked: s.Revoked, Uses: s.Uses, byOrder: domain.MapOf(orders), issued: s.Issued, anonymous: true}
}

// PerCustomer says whether the code is limited per customer, for which the buyers of all its uses must be known.
func (s State) PerCustomer() bool { return s.Terms.UsesPerUser > 0 }

// Lacks says whether buyers must be known that are not, because the state was a snapshot.
func (s State) Lacks() bool { return s.anonymous && s.PerCustomer() }

// Forget is the state without what it knows of a person, as if it were folded after the person was erased.
func (s State) Forget(person domain.ID) State {
	for order, u := range s.byOrder.All() {
		if u.person == person && person != (domain.ID{}) {
			s.byOrder = s.byOrder.With(order, use{person: person})
			s.byCustomer = fewer(s.byCustomer, u.hashes)
		}
	}
	return s
}
