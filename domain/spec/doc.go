// Package spec tests deciders: given past events, when a command comes, then these events or this refusal follow:
//
//	spec.For(t, order.Decider).Given(placed, completed).When(order.Cancel{By: "staff"}).Refused(order.ErrCompleted)
//
// Events are compared as they are stored, that is by name and JSON.
package spec
