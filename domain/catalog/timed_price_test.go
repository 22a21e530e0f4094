package catalog_test

import (
	"testing"
	"time"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/spec"
)

func TestAPriceForAWhile(t *testing.T) {
	t.Parallel()
	sale, other, end := domain.ID{15: 7}, domain.ID{15: 8}, noon.Add(time.Hour)
	known := spec.For(t, catalog.ProductDecider).Given(added...)
	priced := catalog.ProductPriced{Price: 2_500, DiscountedPrice: 1_000, At: noon}
	timed := catalog.ProductPriceTimed{TimedPrice: catalog.TimedPrice{Change: sale, EndsAt: end, Price: 2_500, DiscountedPrice: 2_000}, At: noon}
	begin := catalog.TimePrice{Price: 2_500, DiscountedPrice: 1_000, Change: sale, EndsAt: end, At: noon}
	known.When(begin).Then(priced, timed)
	known.When(catalog.TimePrice{Price: 2_500, DiscountedPrice: 2_000, Change: sale, EndsAt: end, At: noon}).Nothing()
	known.When(catalog.TimePrice{Price: 2_500, Change: sale, EndsAt: end, At: noon}).Refused(catalog.ErrBadDiscount)
	running := known.Given(priced, timed)
	running.When(catalog.TimePrice{Price: 2_500, DiscountedPrice: 900, Change: other, EndsAt: end, At: noon}).Refused(catalog.ErrPriceHeld)
	if _, _, err := running.State().PricesAt(noon); err == nil {
		t.Error("the price is free while it is held")
	}
	if price, discounted, err := running.State().PricesAt(end); price != 2_500 || discounted != 2_000 || err != nil {
		t.Errorf("at the end: %d/%d, %v", price, discounted, err)
	}
	edited := running.Given(catalog.ProductPriced{Price: 2_500, DiscountedPrice: 1_500, At: noon})
	if held := edited.State().Timed; held != (catalog.TimedPrice{}) {
		t.Errorf("an edited price is still held: %+v", held)
	}
}
