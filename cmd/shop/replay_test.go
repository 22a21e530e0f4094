package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/projections/replay"
)

// ordered places an order of pieces of a product for Алматы, to be paid in cash.
func (p program) ordered(product domain.ID, pieces int64) (receipt commands.Receipt) {
	p.t.Helper()
	p.past(0, func(ctx context.Context, _ *app.Shop, orders *commands.Orders) {
		var err error
		receipt, _, err = orders.Checkout(ctx, commands.Checkout{
			Lines:        []commands.Line{{ProductID: product, Amount: pieces}},
			Contact:      order.Contact{FirstName: "Алия", LastName: "Сатпаева", Email: "aliya@example.kz", Phone: "+77010000001"},
			Address:      order.Address{City: "Алматы", Street: "Абая", House: "1"},
			DeliveryType: domain.Delivery, PaymentMethod: domain.Cash,
		})
		if err != nil {
			p.t.Fatal(err)
		}
	})
	return receipt
}

func TestReplayPricing(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 8_000, 100)
	first := p.ordered(cream, 1)
	p.ordered(cream, 4)
	if said := p.ok("replay", "pricing"); !strings.HasPrefix(said, "2 orders up to position ") || !strings.HasSuffix(said, ", 0 differences\n") {
		t.Errorf("got %q", said)
	}

	file := filepath.Join(t.TempDir(), "rules.yml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("minimum_sum: 9000\ntiers: [{from: 30000, percent: 10}]\n")
	said := p.ok("replay", "pricing", "--rules", file)
	for _, want := range []string{"minimum_sum: 7000 > 9000", "1 below the minimum sum", "Orders in a tier of more percent: 1", "- Shoppers put the same goods"} {
		if !strings.Contains(said, want) {
			t.Errorf("lacks %q:\n%s", want, said)
		}
	}
	var report replay.Report
	if err := json.Unmarshal([]byte(p.ok("replay", "pricing", "--rules", file, "--format", "json")), &report); err != nil {
		t.Fatal(err)
	}
	// 8 000 + 1 900 of delivery, and 32 000 less 5 %; under the other rules 32 000 less 10 %.
	if r := report.Total; r.Was.Revenue != 9_900+30_400 || r.Would.Revenue != 28_800 || r.Lost != 9_900 {
		t.Errorf("got %+v", r)
	}
	for text, want := range map[string]string{
		"minimum: 1":                 "minimum: there is no such rule",
		"minimum_sum: -5":            "minimum_sum: A sum must be between",
		"minimum_sum: many":          "minimum_sum: must be no string\n",
		"tiers: [{from: [1]}]":       "tiers.from: must be no array\n",
		"tiers: [{from: 1, off: 2}]": "tiers: ",
	} {
		write(text)
		if r := p.run("replay", "pricing", "--rules", file); r.status != terminal.Failed || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", text, r)
		}
	}
	if r := p.run("replay", "pricing", "--until=99999999"); r.status != terminal.Failed || !strings.Contains(r.stderr, "is not in the log, which ends at") {
		t.Errorf("%+v", r)
	}
	if r := p.run("replay", "pricing", "--until=-1"); r.status != terminal.Misuse {
		t.Errorf("got %+v", r)
	}

	// Somebody alters the log behind the shop's back.
	pool, err := pgxpool.New(t.Context(), p.config().DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	_, err = pool.Exec(t.Context(), `UPDATE eventstore.events SET data = replace(data::text, '"total_paid":9900', '"total_paid":9901')::json
		WHERE stream = $1 AND version = 1`, order.Stream(first.ID))
	if err != nil {
		t.Fatal(err)
	}
	r := p.run("replay", "pricing")
	if r.status != terminal.Failed || !strings.Contains(r.stdout, "total_paid: was 9901, is 9900") || !strings.Contains(r.stdout, ", 1 differences") {
		t.Errorf("got %+v", r)
	}
}
