package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// one wants exactly one fault that says something.
func one(t *testing.T, name string, faults []string, says string) {
	t.Helper()
	if says == "" && len(faults) > 0 {
		t.Errorf("%s: accused of %v", name, faults)
	}
	if says != "" && (len(faults) != 1 || !strings.Contains(faults[0], says)) {
		t.Errorf("%s: found %v, want one that says %q", name, faults, says)
	}
}

func TestPlantedOrdersAreFound(t *testing.T) {
	t.Parallel()
	a, b := uuid.New(), uuid.New()
	told := map[string]receipt{"k1": {a, 100001, 7}, "k2": {b, 100002, 0}}
	log := []placedEvent{{5, a, 100001}, {9, b, 100002}}
	one(t, "honest", judgeOrders(told, log), "")
	one(t, "lost", judgeOrders(told, log[:1]), "was acknowledged and is not in the log")
	one(t, "nobody was told", judgeOrders(told, append(slices.Clone(log), placedEvent{11, uuid.New(), 100003})), "one request made two orders")
	one(t, "placed twice", judgeOrders(told, append(slices.Clone(log), log[0])), "placed twice")
	one(t, "other number", judgeOrders(told, []placedEvent{log[0], {9, b, 100009}}), "with number 100002 and has 100009")
	one(t, "acknowledged before it was", judgeOrders(told, []placedEvent{{8, a, 100001}, log[1]}), "at position 7 and was placed at 8")
	twice := maps.Clone(told)
	twice["k3"] = told["k1"]
	one(t, "one order for two keys", judgeOrders(twice, log), "the keys k1 and k3")
	if faults := judgeOrders(told, []placedEvent{log[0], {9, b, 100001}}); len(faults) != 2 {
		t.Errorf("one number for two orders: %v", faults)
	}
}

func TestPlantedContradictionIsFound(t *testing.T) {
	t.Parallel()
	l := newLedger()
	r := receipt{ID: uuid.New(), Number: 1}
	l.placed("k", r)
	l.placed("k", r)
	one(t, "the same answer", l.contradictions, "")
	l.placed("k", receipt{ID: uuid.New(), Number: 2})
	one(t, "another answer", l.contradictions, "with order 1 and with order 2")
}

func TestPlantedLossOfAnEventIsFound(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	one(t, "there", judgeEvents(map[uuid.UUID]bool{id: true}, map[uuid.UUID]bool{id: true, uuid.New(): true}), "")
	one(t, "lost", judgeEvents(map[uuid.UUID]bool{id: true}, nil), id.String())
}

func TestPlantedStockIsFound(t *testing.T) {
	t.Parallel()
	log := []stockEvent{
		{"stock-a", 1, "stock.received", stockData{"", 5, 5, 0}},
		{"stock-a", 2, "stock.replenished", stockData{}},
		{"stock-a", 3, "stock.reserved", stockData{"x", 3, 5, 3}},
		{"stock-a", 4, "stock.reserved", stockData{"y", 2, 5, 5}},
		{"stock-a", 5, "stock.released", stockData{"x", 3, 5, 2}},
		{"stock-a", 6, "stock.shipped", stockData{"y", 2, 3, 0}},
	}
	one(t, "honest", judgeStock(log), "")
	one(t, "oversold", judgeStock(append(slices.Clone(log[:4]), stockEvent{"stock-a", 5, "stock.reserved", stockData{"z", 1, 5, 6}})), "oversold")
	one(t, "reserved twice", judgeStock(append(slices.Clone(log[:3]), stockEvent{"stock-a", 4, "stock.reserved", stockData{"x", 1, 5, 4}})), "reserves again")
	one(t, "wrong sum", judgeStock(append(slices.Clone(log[:3]), stockEvent{"stock-a", 4, "stock.reserved", stockData{"y", 1, 5, 5}})), "the movements make 5 and 4")
	one(t, "gives up too much", judgeStock(append(slices.Clone(log[:4]), stockEvent{"stock-a", 5, "stock.released", stockData{"x", 4, 5, 1}})), "gives up 4 of 3")
}

func TestPlantedRowsAreFound(t *testing.T) {
	t.Parallel()
	fresh := map[string]string{"1": `{"id": 1, "n": 2}`, "2": `{"id": 2, "n": 3}`}
	one(t, "equal", judgeRows("orders.orders", maps.Clone(fresh), fresh), "")
	one(t, "deleted", judgeRows("orders.orders", map[string]string{"1": fresh["1"]}, fresh), "row 2 is missing")
	one(t, "too many", judgeRows("orders.orders", fresh, map[string]string{"1": fresh["1"]}), "row 2 should not be there")
	one(t, "changed", judgeRows("orders.orders", map[string]string{"1": fresh["1"], "2": `{"id": 2, "n": 4}`}, fresh), "row 2: n is 4, want 3")
}
