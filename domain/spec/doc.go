// Package spec tests deciders by what happened, what is asked and what follows:
//
//	spec.For(t, order.Decider).Given(placed, completed).When(order.Cancel{By: "staff"}).Refused(order.ErrCompleted)
//
// Events are compared as they are stored, that is by name and JSON.
package spec
