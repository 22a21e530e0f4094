package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/order"
	"shop/domain/staff"
)

// placeOne places an order of one piece.
func (d *staffDesk) placeOne(orders *commands.Orders, product uuid.UUID) {
	d.t.Helper()
	_, _, err := orders.Checkout(d.t.Context(), commands.Checkout{
		Lines: []commands.Line{{ProductID: product, Amount: 1}}, DeliveryType: domain.Pickup, PaymentMethod: domain.Card,
		Contact: order.Contact{FirstName: "Анна", LastName: "Ким", Email: "anna.kim@example.kz", Phone: "+77011112233"},
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// TestEffectsAreMeasuredAndKept: of a proposal and of a change that waits; the change keeps what the second person saw, and who may not
// see costs reads no margin.
func TestEffectsAreMeasuredAndKept(t *testing.T) {
	t.Parallel()
	d := changesDesk(t)
	p, orders := d.program(), d.orders()
	cream := p.stocked("MK-1", 9_000, 30)
	manager, admin, keeper, analyst := d.worker(staff.Manager), d.worker(staff.Admin), d.worker(staff.Catalog), d.worker(staff.Analyst)
	manager.ask(201, "POST", "/api/staff/changes/", fmt.Sprintf(`{"items":[{"thing":"product","id":%q,"field":"cost","now":4000}]}`, cream), nil)
	d.placeOne(orders, cream)

	sale := fmt.Sprintf(`{"title":"Весна","effect_days":30,"items":[{"thing":"product","id":%q,"field":"discounted_price","now":8000}]}`, cream)
	var effect change.Effect
	manager.ask(200, "POST", "/api/staff/changes/effect/", sale, &effect)
	if effect.Orders != 1 || effect.Touched != 1 || effect.Was.Goods != 9_000 || effect.Would.Goods != 8_000 || effect.Would.Margin != 4_000 || effect.Would.ProductDiscounts != 1_000 {
		t.Errorf("of a proposal: %+v", effect)
	}
	keeper.ask(403, "POST", "/api/staff/changes/effect/", sale, nil)
	keeper.ask(403, "POST", "/api/staff/changes/", sale, nil)
	analyst.ask(403, "POST", "/api/staff/changes/effect/", sale, nil)
	manager.ask(400, "POST", "/api/staff/changes/effect/", strings.Replace(sale, ":30", ":31", 1), nil)
	manager.ask(409, "POST", "/api/staff/changes/effect/", fmt.Sprintf(`{"effect_days":30,"items":[{"thing":"product","id":%q,"field":"name","now":"Сливки"}]}`, cream), nil)

	var waiting changedThings
	keeper.ask(201, "POST", "/api/staff/changes/", strings.Replace(sale, `"effect_days":30,`, "", 1), &waiting)
	one := "/api/staff/changes/" + waiting.ID.String() + "/effect/"
	var kept struct {
		Results []struct {
			Name   string
			At     time.Time
			Effect change.Effect
		}
	}
	admin.ask(200, "POST", one, `{"days":90}`, &effect)
	keeper.ask(403, "GET", one, "", nil)
	manager.ask(404, "POST", "/api/staff/changes/"+uuid.NewString()+"/effect/", `{"days":90}`, nil)
	admin.ask(204, "POST", "/api/staff/changes/"+waiting.ID.String()+"/approve/", "{}", nil)
	d.placeOne(orders, cream)
	admin.ask(200, "POST", one, `{"days":90}`, &effect)
	if effect.Orders != 2 {
		t.Errorf("after the approval: %+v", effect)
	}
	admin.ask(200, "GET", one, "", &kept)
	if len(kept.Results) != 1 || kept.Results[0].Name != "admin@shop.example" || kept.Results[0].Effect.Orders != 1 || kept.Results[0].Effect.Would.Margin != 4_000 {
		t.Errorf("kept: %+v", kept)
	}
	analyst.ask(200, "GET", one, "", &kept)
	if f := kept.Results[0].Effect.Would; f.Margin != 0 || f.Cost != 0 || f.Costed != 0 || f.Goods != 8_000 {
		t.Errorf("the analyst reads %+v", f)
	}
	// The command line goes by the real clock: the desk's orders were placed long before.
	if told := p.ok("changes", "effect", waiting.ID.String(), "--days", "90"); !strings.Contains(told, "0 orders of 90 days") || !strings.Contains(told, "margin") {
		t.Errorf("the command line tells\n%s", told)
	}

	// A change that keeps the effect that was seen in the dialog.
	var made changedThings
	manager.ask(201, "POST", "/api/staff/changes/", strings.Replace(sale, ":8000", ":7900", 1), &made)
	manager.ask(200, "GET", "/api/staff/changes/"+made.ID.String()+"/effect/", "", &kept)
	if made.Status != "applied" || len(kept.Results) != 1 || kept.Results[0].Effect.Would.Goods != 15_800 {
		t.Errorf("%s keeps %+v", made.Status, kept)
	}
}
