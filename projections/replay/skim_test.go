package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/eventstore/registry"
)

// needed is what skimming leaves of an event.
func needed(event any, whole bool) any {
	calculation := func(c domain.Calculation, lines bool) domain.Calculation {
		if whole {
			c = silent(c)
		} else {
			c.Explanation = nil
		}
		if !lines && !whole {
			c.Lines = nil
		}
		was := c.Lines
		c.Lines = nil
		for _, l := range was {
			l.Article, l.Name, l.Link, l.Picture = "", "", "", ""
			c.Lines = append(c.Lines, l)
		}
		return c
	}
	switch e := event.(type) {
	case order.Placed:
		return order.Placed{
			Number: e.Number, CustomerID: e.CustomerID, City: e.City, DeliveryType: e.DeliveryType, PaymentMethod: e.PaymentMethod,
			Calculation: calculation(e.Calculation, true), At: e.At,
		}
	case basket.Priced:
		e.Question.SpendBonus = 0
		return basket.Priced{BasketID: e.BasketID, Question: e.Question, Calculation: calculation(e.Calculation, false), At: e.At}
	}
	return nil
}

// skimsAsDecoded fails unless skimming a payload finds what decoding it does.
func skimsAsDecoded(t interface{ Errorf(string, ...any) }, r *registry.Registry, name string, schema int, payload []byte) {
	event, err := r.Decode(name, schema, payload)
	if err != nil {
		t.Errorf("%s.v%d: %v", name, schema, err)
		return
	}
	for _, whole := range []bool{false, true} {
		got := skimmed(whole)(name, schema, payload)
		if got == nil || !reflect.DeepEqual(needed(got, whole), got) || !reflect.DeepEqual(needed(event, whole), got) {
			t.Errorf("%s.v%d, whole: %v: got  %+v\nwant %+v", name, schema, whole, got, needed(event, whole))
		}
	}
}

func TestSkimmingFindsWhatDecodingDoes(t *testing.T) {
	t.Parallel()
	r := registry.New()
	for name, newest := range schemas {
		if r.Schema(name) != newest {
			t.Errorf("%s has schema %d now: see whether skimming understands it", name, r.Schema(name))
		}
		for schema := range newest {
			golden, err := os.ReadFile(filepath.Join("../../eventstore/registry/testdata", fmt.Sprintf("%s.v%d.json", name, schema+1)))
			if err != nil {
				t.Fatal(err)
			}
			skimsAsDecoded(t, r, name, schema+1, golden)
		}
		if skimmed(false)(name, newest+1, []byte(`{}`)) != nil {
			t.Errorf("%s: a schema nobody knows is understood", name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word, sum := rapid.SampledFrom([]string{"", "Алматы", "г. Алма-Ата", "DELIVERY", "below_minimum", "TEN"}), rapid.Int64Range(-1<<50, 1<<50)
		id := rapid.Custom(func(t *rapid.T) domain.ID { return uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id")) })
		c := domain.Calculation{
			ListSum: sum.Draw(t, "list"), TotalSum: sum.Draw(t, "total"), OrderDiscount: sum.Draw(t, "discount"), DiscountedSum: sum.Draw(t, "discounted"),
			BonusSpent: sum.Draw(t, "bonus"), DeliveryPrice: sum.Draw(t, "delivery"), IsDeliveryCalculated: rapid.Bool().Draw(t, "calculated"),
			TotalPaid: sum.Draw(t, "paid"), PayableNow: sum.Draw(t, "now"), PayableOnDelivery: sum.Draw(t, "later"), CanCreateOrder: rapid.Bool().Draw(t, "can"),
			MissingSum: sum.Draw(t, "missing"), PromocodeApplied: word.Draw(t, "applied"), PromocodeError: word.Draw(t, "error"), Reason: word.Draw(t, "reason"),
			RulesVersion: sum.Draw(t, "version"),
		}
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			c.Lines = append(c.Lines, domain.PricedLine{
				ProductID: id.Draw(t, "product"), Name: rapid.String().Draw(t, "name"), Amount: sum.Draw(t, "amount"), Price: sum.Draw(t, "price"),
				DiscountedPrice: sum.Draw(t, "less"), OrderDiscount: sum.Draw(t, "off"), Total: sum.Draw(t, "line"),
			})
			c.Explanation = append(c.Explanation, domain.Step{Code: word.Draw(t, "code"), Label: rapid.String().Draw(t, "label"), Amount: sum.Draw(t, "step")})
		}
		at := time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "at"), 0).UTC()
		city, by, pays := word.Draw(t, "city"), domain.DeliveryType(word.Draw(t, "by")), domain.PaymentMethod(word.Draw(t, "pays"))
		for _, event := range []domain.Event{
			order.Placed{CustomerID: id.Draw(t, "customer"), City: city, DeliveryType: by, PaymentMethod: pays, Calculation: c, At: at},
			basket.Priced{BasketID: id.Draw(t, "basket"), Question: basket.Question{City: city, DeliveryType: by, PaymentMethod: pays, Promocode: word.Draw(t, "promo")}, Calculation: c, At: at},
		} {
			encoded, err := r.Encode(event)
			if err != nil {
				t.Fatal(err)
			}
			skimsAsDecoded(t, r, encoded.Type, encoded.Schema, encoded.Payload)
		}
	})
}
