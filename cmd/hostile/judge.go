package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/uuid"
)

// The checks are functions of what was promised and what is there, so that tests can plant faults.

// placedEvent is an order.placed in the log.
type placedEvent struct {
	Position int64
	ID       uuid.UUID
	Number   int64
}

// judgeOrders compares the orders in the log with those acknowledged. Nothing may be open any more: then every order in
// the log was acknowledged, each once.
func judgeOrders(acknowledged map[string]receipt, log []placedEvent) (faults []string) {
	byID := map[uuid.UUID]placedEvent{}
	numbers := map[int64]uuid.UUID{}
	for _, e := range log {
		if _, twice := byID[e.ID]; twice {
			faults = append(faults, fmt.Sprintf("order %d was placed twice", e.Number))
		}
		if other, taken := numbers[e.Number]; taken && other != e.ID {
			faults = append(faults, fmt.Sprintf("number %d was given to the orders %s and %s", e.Number, other, e.ID))
		}
		byID[e.ID], numbers[e.Number] = e, e.ID
	}
	owner := map[uuid.UUID]string{}
	for _, key := range slices.Sorted(maps.Keys(acknowledged)) {
		r := acknowledged[key]
		e, there := byID[r.ID]
		switch {
		case !there:
			faults = append(faults, fmt.Sprintf("order %d (%s) was acknowledged and is not in the log", r.Number, r.ID))
		case e.Number != r.Number:
			faults = append(faults, fmt.Sprintf("order %s was acknowledged with number %d and has %d", r.ID, r.Number, e.Number))
		case r.Position > 0 && r.Position < e.Position:
			faults = append(faults, fmt.Sprintf("order %d was acknowledged at position %d and was placed at %d", r.Number, r.Position, e.Position))
		}
		if other, taken := owner[r.ID]; taken {
			faults = append(faults, fmt.Sprintf("order %d is the answer to the keys %s and %s", r.Number, other, key))
		}
		owner[r.ID] = key
	}
	for _, e := range log {
		if _, known := owner[e.ID]; !known {
			faults = append(faults, fmt.Sprintf("order %d is in the log and nobody was told: one request made two orders", e.Number))
		}
	}
	return faults
}

// judgeEvents finds acknowledged events that are not in the log.
func judgeEvents(acknowledged, log map[uuid.UUID]bool) (faults []string) {
	for id := range acknowledged {
		if !log[id] {
			faults = append(faults, fmt.Sprintf("event %s was acknowledged and is not in the log", id))
		}
	}
	slices.Sort(faults)
	return faults
}

// stockEvent is an event of a stock-stream, in the order of versions.
type stockEvent struct {
	Stream  string
	Version int64
	Type    string
	Data    stockData
}

type stockData struct {
	OrderID  string `json:"order_id"`
	Quantity int64  `json:"quantity"`
	OnHand   int64  `json:"on_hand"`
	Reserved int64  `json:"reserved"`
}

// judgeStock adds up every movement: sums follow from what moved, and what is promised to orders is never more than
// what is in the house. Nothing here is counted by hand, which alone could make it so.
func judgeStock(log []stockEvent) (faults []string) {
	type sums struct {
		onHand, reserved int64
		held             map[string]int64
	}
	all := map[string]*sums{}
	for _, e := range log {
		s := all[e.Stream]
		if s == nil {
			s = &sums{held: map[string]int64{}}
			all[e.Stream] = s
		}
		wrong := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s version %d: ", e.Stream, e.Version)+fmt.Sprintf(format, args...))
		}
		order := e.Data.OrderID
		switch e.Type {
		case "stock.received", "stock.adjusted":
			s.onHand += e.Data.Quantity
		case "stock.reserved":
			if s.held[order] > 0 {
				wrong("order %s reserves again", order)
			}
			s.held[order] += e.Data.Quantity
			s.reserved += e.Data.Quantity
		case "stock.released", "stock.shipped":
			if s.held[order] != e.Data.Quantity {
				wrong("order %s gives up %d of %d pieces", order, e.Data.Quantity, s.held[order])
			}
			delete(s.held, order)
			s.reserved -= e.Data.Quantity
			if e.Type == "stock.shipped" {
				s.onHand -= e.Data.Quantity
			}
		default:
			continue
		}
		if s.onHand != e.Data.OnHand || s.reserved != e.Data.Reserved {
			wrong("says %d on hand and %d reserved, the movements make %d and %d", e.Data.OnHand, e.Data.Reserved, s.onHand, s.reserved)
			s.onHand, s.reserved = e.Data.OnHand, e.Data.Reserved
		}
		if s.reserved > s.onHand || s.onHand < 0 {
			wrong("oversold: %d pieces are promised and %d are there", s.reserved, s.onHand)
		}
	}
	return faults
}

// judgeRows compares a table with another that should be the same, by key; rows are JSON objects.
func judgeRows(table string, live, fresh map[string]string) (faults []string) {
	for _, key := range slices.Sorted(maps.Keys(fresh)) {
		row, there := live[key]
		switch {
		case !there:
			faults = append(faults, fmt.Sprintf("%s: row %s is missing", table, key))
		case row != fresh[key]:
			faults = append(faults, fmt.Sprintf("%s: row %s: %s", table, key, differences(row, fresh[key])))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(live)) {
		if _, wanted := fresh[key]; !wanted {
			faults = append(faults, fmt.Sprintf("%s: row %s should not be there", table, key))
		}
	}
	return faults
}

// differences names the columns in which two rows differ.
func differences(is, want string) string {
	var a, b map[string]any
	if json.Unmarshal([]byte(is), &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		return fmt.Sprintf("is %s, want %s", is, want)
	}
	text := ""
	for _, column := range slices.Sorted(maps.Keys(b)) {
		if !reflect.DeepEqual(a[column], b[column]) {
			text += fmt.Sprintf("%s is %.80v, want %.80v; ", column, a[column], b[column])
		}
	}
	return text
}
