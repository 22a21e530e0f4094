package projections

import (
	"slices"
	"strings"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/document"
	"shop/domain/order"
	"shop/domain/post"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/migrations/pgtest"
)

// folded gives the row of one stream's events; ok is false when there is none.
func folded[R any](t *testing.T, table Table[R], stream string, events ...domain.Event) (row R, ok bool) {
	t.Helper()
	for _, data := range events {
		e := event(stream, data)
		if !table.wants(e) {
			t.Fatalf("%s does not listen to %s", table.Name, e.Type)
		}
		if ok = table.Fold(table.Keys(e)[0], &row, e); !ok {
			row = *new(R)
		}
	}
	return row, ok
}

var (
	soap    = id(1)
	balm    = id(2)
	stream  = catalog.ProductStream(soap)
	soapAdd = catalog.ProductAdded{ID: soap, Article: "KA-100", Link: "mylo", BrandID: id(11), CategoryID: id(21), At: noon}
)

func TestProductFolds(t *testing.T) {
	later := noon.Add(time.Hour)
	p, ok := folded(t, products, stream,
		soapAdd,
		catalog.ProductDescribed{Text: catalog.ProductText{Name: "Мыло", Composition: "Sodium Olivate", MadeIn: "Франция"}, At: noon},
		catalog.ProductPriced{Price: 1590, DiscountedPrice: 1290, At: noon},
		catalog.ProductPictured{Pictures: []catalog.Picture{{Src: "/img/a.webp"}}, At: noon},
		catalog.ProductMarked{Marks: []domain.ID{id(31)}, At: noon},
		catalog.ProductTranslated{ID: soap, Kazakh: catalog.Translation{Name: "Сабын", MadeIn: "Франция жасаған"}, At: noon},
		catalog.ProductMoved{BrandID: id(12), CategoryID: id(22), At: later},
	)
	if !ok || p.ID != soap || p.Name != "Мыло" || p.Composition != "Sodium Olivate" || p.MadeIn != "Франция" ||
		p.Kazakh != (catalog.Translation{Name: "Сабын", MadeIn: "Франция жасаған"}) ||
		p.Price != 1590 || p.DiscountedPrice != 1290 || p.Pictures[0].Src != "/img/a.webp" || p.Marks[0] != id(31) ||
		p.BrandID != id(12) || p.CategoryID != id(22) || p.Article != "KA-100" || !p.AddedAt.Equal(noon) || !p.UpdatedAt.Equal(later) {
		t.Errorf("got %+v, %v", p, ok)
	}
	if p, _ := folded(t, products, stream, soapAdd, catalog.ProductArchived{At: later}); !p.Archived {
		t.Error("an archived product is still on sale")
	}
	if p, _ := folded(t, products, stream, soapAdd, catalog.ProductArchived{At: noon}, catalog.ProductRestored{At: later}); p.Archived {
		t.Error("a restored product is not on sale")
	}
	if _, ok := folded(t, products, stream, catalog.ProductPriced{Price: 1, DiscountedPrice: 1}); ok {
		t.Error("a product that was never added has a row")
	}
}

func TestCategoryBrandAndMarkFold(t *testing.T) {
	c, ok := folded(t, categories, catalog.CategoryStream(id(21)),
		catalog.CategoryAdded{ID: id(21), Category: catalog.Category{Link: "telo", Name: "Тело"}},
		catalog.CategoryArchived{},
		catalog.CategoryChanged{Category: catalog.Category{Link: "telo", Name: "Уход за телом", Kazakh: catalog.Wording{Name: "Дене күтімі"}, ParentID: id(20), Order: 3, Placeholder: "soap"}},
	)
	if !ok || c.ID != id(21) || c.Name != "Уход за телом" || c.ParentID != id(20) || c.Kazakh.Name != "Дене күтімі" || c.SortOrder != 3 || c.Placeholder != "soap" || c.Archived {
		t.Errorf("category %+v, %v", c, ok)
	}
	b, ok := folded(t, brands, catalog.BrandStream(id(11)),
		catalog.BrandAdded{ID: id(11), Brand: catalog.Brand{Link: "kalm", Name: "Kalm"}},
		catalog.BrandChanged{Brand: catalog.Brand{Link: "kalm", Name: "KALM", DescriptionKazakh: "Тыныштық", Logo: &catalog.Picture{Src: "/img/kalm.svg"}}},
		catalog.BrandArchived{},
	)
	if !ok || b.ID != id(11) || b.Name != "KALM" || b.DescriptionKazakh != "Тыныштық" || b.Logo.Src != "/img/kalm.svg" || !b.Archived {
		t.Errorf("brand %+v, %v", b, ok)
	}
	m, ok := folded(t, marks, catalog.MarkStream(id(31)),
		catalog.MarkAdded{ID: id(31), Mark: catalog.Mark{Name: "Веган"}},
		catalog.MarkChanged{Mark: catalog.Mark{Name: "Веган", Description: "Без животных компонентов", Kazakh: catalog.Wording{Description: "Жануартектес компоненттері жоқ"}}},
	)
	if !ok || m.ID != id(31) || m.Kazakh.Description != "Жануартектес компоненттері жоқ" || m.Description != "Без животных компонентов" {
		t.Errorf("mark %+v, %v", m, ok)
	}
}

// TestWhatWasArchivedComesBack: who adds a category, brand or mark again that is archived brings it back.
func TestWhatWasArchivedComesBack(t *testing.T) {
	if c, _ := folded(t, categories, catalog.CategoryStream(id(21)), catalog.CategoryAdded{ID: id(21)}, catalog.CategoryArchived{}, catalog.CategoryAdded{ID: id(21)}); c.Archived {
		t.Error("the category is archived")
	}
	if b, _ := folded(t, brands, catalog.BrandStream(id(11)), catalog.BrandAdded{ID: id(11)}, catalog.BrandArchived{}, catalog.BrandAdded{ID: id(11)}); b.Archived {
		t.Error("the brand is archived")
	}
	if m, _ := folded(t, marks, catalog.MarkStream(id(31)), catalog.MarkAdded{ID: id(31)}, catalog.MarkArchived{}, catalog.MarkAdded{ID: id(31)}); m.Archived {
		t.Error("the mark is archived")
	}
}

func TestStockFoldsToTheLatestLevel(t *testing.T) {
	l, ok := folded(t, levels, stock.Stream(soap),
		stock.Received{ProductID: soap, Quantity: 10, OnHand: 10, At: noon},
		stock.Reserved{ProductID: soap, Quantity: 3, OnHand: 10, Reserved: 3, At: noon},
		stock.Shipped{ProductID: soap, Quantity: 2, OnHand: 8, Reserved: 1, At: noon},
		stock.Released{ProductID: soap, Quantity: 1, OnHand: 8, Reserved: 0, At: noon},
		stock.Adjusted{ProductID: soap, Quantity: -1, OnHand: 7, Reserved: 0, At: noon},
	)
	if want := (Level{soap, 7, 0, noon}); !ok || l != want {
		t.Errorf("got %+v, want %+v", l, want)
	}
}

func TestUnitsCountPiecesByDayInAlmaty(t *testing.T) {
	placed := order.Placed{ID: id(41), At: time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC), Calculation: domain.Calculation{Lines: []domain.PricedLine{
		{ProductID: soap, Amount: 2}, {ProductID: balm, Amount: 1}, {ProductID: soap, Amount: 1},
	}}}
	e := event(order.Stream(placed.ID), placed)
	keys := units.Keys(e)
	if len(keys) != 2 || !strings.HasPrefix(keys[0], soap.String()+"/2026-03-02/") {
		t.Fatalf("keys %q", keys)
	}
	u := Units{Units: 5}
	if keep := units.Fold(keys[0], &u, e); !keep || u.Units != 8 || u.ProductID != soap || u.Day != "2026-03-02" {
		t.Errorf("got %+v", u)
	}
}

// Rows that two streams write must name the range, or ranges could not be worked independently.
func TestSharedRowsNameTheirRange(t *testing.T) {
	placed := order.Placed{At: noon, Calculation: domain.Calculation{Lines: []domain.PricedLine{{ProductID: soap, Amount: 1}}}}
	text := catalog.ProductDescribed{Text: catalog.ProductText{Name: "Мыло"}}
	a, b := event("order-a", placed), event("order-b", placed)
	c, d := event("product-a", text), event("product-b", text)
	a.Slice, b.Slice, c.Slice, d.Slice = 0, eventstore.Slices-1, 0, eventstore.Slices-1
	if units.Keys(a)[0] == units.Keys(b)[0] {
		t.Error("units of two ranges share a row")
	}
	if goods.Keys(a)[0] == goods.Keys(b)[0] {
		t.Error("goods of two ranges share a row")
	}
	earned := bonus.Earned{Amount: 1, At: noon}
	e, f := event("bonus-a", earned), event("bonus-b", earned)
	e.Slice, f.Slice = 0, eventstore.Slices-1
	if bonusDays.Keys(e)[0] == bonusDays.Keys(f)[0] {
		t.Error("bonuses of two ranges share a row")
	}
	if words.Keys(c)[0] == words.Keys(d)[0] {
		t.Error("words of two ranges share a row")
	}
}

func TestWordsOfACatalog(t *testing.T) {
	e := event(stream, catalog.ProductDescribed{Text: catalog.ProductText{
		Name: "Щётка для зубов, 2 шт — мягкая щётка", Composition: "Sodium Cocoyl-Glutamate (CI 77491)", Description: "не важно"}})
	var got []string
	for _, key := range words.Keys(e) {
		var w Word
		words.Fold(key, &w, e)
		got = append(got, w.Word)
	}
	want := []string{"щетка", "для", "зубов", "мягкая", "sodium", "cocoyl", "glutamate"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOrderFolds(t *testing.T) {
	placed := order.Placed{
		ID: id(41), Number: 100001, PersonID: id(42), Contact: order.Contact{FirstName: "Айгерим", Email: "a@example.kz"},
		City: "Алматы", Address: order.Address{City: "Алматы", Street: "Абая", House: "1"},
		DeliveryType: domain.Delivery, PaymentMethod: domain.Card, DeliveryDate: "2026-03-03", PayBefore: noon.Add(30 * time.Minute), At: noon,
		Calculation: domain.Calculation{TotalSum: 9490, DiscountedSum: 9490, DeliveryPrice: 1900, TotalPaid: 11390, PayableNow: 11390, RulesVersion: 2,
			PromocodeApplied: "WELCOME10", Lines: []domain.PricedLine{{ProductID: soap, Amount: 1}}, Explanation: []domain.Step{{Code: "list_prices", Amount: 9490}}},
	}
	requested := order.PaymentRequested{PaymentID: "p1", Attempt: 1, At: noon}
	for name, c := range map[string]struct {
		then   []domain.Event
		status order.Status
		paid   bool
		reason string
	}{
		"placed":      {nil, order.StatusReceived, false, ""},
		"approved":    {[]domain.Event{requested, order.Paid{PaymentID: "p1", Amount: 11390}, order.Approved{}}, order.StatusApproved, true, ""},
		"paid a part": {[]domain.Event{requested, order.Paid{PaymentID: "p1", Amount: 11389}}, order.StatusReceived, false, ""},
		"excess": {[]domain.Event{requested, order.Paid{PaymentID: "p1", Amount: 11390}, order.Approved{}, order.Paid{PaymentID: "p2", Amount: 11390},
			order.Refunded{PaymentID: "p2", Amount: 11390, Excess: true}}, order.StatusApproved, true, ""},
		"refunded a part": {[]domain.Event{order.Paid{PaymentID: "p1", Amount: 11390}, order.Approved{}, order.ProcessingStarted{}, order.Completed{},
			order.Refunded{PaymentID: "p1", Amount: 390}}, order.StatusCompleted, false, ""},
		"processing": {[]domain.Event{order.Approved{}, order.ProcessingStarted{}}, order.StatusProcessing, false, ""},
		"completed":  {[]domain.Event{order.Approved{}, order.ProcessingStarted{}, order.Completed{}}, order.StatusCompleted, false, ""},
		"refused":    {[]domain.Event{requested, order.PaymentFailed{PaymentID: "p1", Reason: "нет денег"}}, order.StatusPaymentErr, false, "нет денег"},
		"expired":    {[]domain.Event{requested, order.PaymentExpired{}}, order.StatusPaymentErr, false, ""},
		"again":      {[]domain.Event{requested, order.PaymentFailed{Reason: "нет денег"}, order.PaymentRequested{PaymentID: "p2", Attempt: 2}}, order.StatusReceived, false, ""},
		"cancelled":  {[]domain.Event{order.Cancelled{By: "customer", Reason: "передумал"}}, order.StatusCancelled, false, "передумал"},
		"refunded":   {[]domain.Event{order.Paid{}, order.Approved{}, order.Cancelled{}, order.Refunded{}}, order.StatusRefunded, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o, ok := folded(t, orders, order.Stream(placed.ID), append([]domain.Event{placed}, c.then...)...)
			if !ok || o.Status != c.status || o.IsPaid != c.paid || o.Reason != c.reason {
				t.Errorf("status %s, paid %v, reason %q", o.Status, o.IsPaid, o.Reason)
			}
			if o.Number != 100001 || o.FirstName != "Айгерим" || o.Street != "Абая" || o.TotalPaid != 11390 || o.RulesVersion != 2 ||
				o.Promocode != "WELCOME10" || len(o.Lines) != 1 || len(o.Explanation) != 1 || *o.DeliveryDate != "2026-03-03" {
				t.Errorf("what was placed got lost: %+v", o)
			}
		})
	}
}

func TestOrderKeepsWhenItCameToEachStatus(t *testing.T) {
	at := func(hour int) time.Time { return noon.Add(time.Duration(hour) * time.Hour) }
	id := domain.ID{9}
	o, _ := folded(t, orders, order.Stream(id),
		order.Placed{ID: id, At: at(0), Calculation: domain.Calculation{TotalPaid: 100}}, order.PaymentRequested{PaymentID: "p1", Attempt: 1, At: at(1)},
		order.PaymentFailed{PaymentID: "p1", At: at(2)}, order.PaymentRequested{PaymentID: "p2", Attempt: 2, At: at(3)},
		order.Paid{PaymentID: "p2", Amount: 100, At: at(4)}, order.Approved{At: at(5)}, order.Forgotten{At: at(6)})
	want := []Stage{{order.StatusReceived, at(0)}, {order.StatusPaymentErr, at(2)}, {order.StatusReceived, at(3)}, {order.StatusApproved, at(5)}}
	if !slices.Equal(o.History, want) {
		t.Errorf("history %v, want %v", o.History, want)
	}
}

func TestRulesPromocodeAndContentFold(t *testing.T) {
	r, _ := folded(t, current, rules.Stream,
		rules.Changed{Version: 1, Rules: rules.Rules{MinimumSum: 7000}}, rules.Changed{Version: 2, Rules: rules.Rules{MinimumSum: 8000}})
	if r.Version != 2 || r.Rules.MinimumSum != 8000 {
		t.Errorf("rules %+v", r)
	}
	issued := promocode.Issued{Code: "WELCOME10", Terms: promocode.Terms{Kind: promocode.Percent, Value: 10, Uses: 5, ValidUntil: noon}}
	c, ok := folded(t, codes, promocode.Stream("welcome10"), issued, promocode.Redeemed{}, promocode.Redeemed{}, promocode.Returned{}, promocode.Revoked{})
	if !ok || c.Code != "WELCOME10" || c.Redeemed != 1 || !c.Revoked || c.ValidFrom != nil || !c.ValidUntil.Equal(noon) {
		t.Errorf("code %+v", c)
	}
	b, ok := folded(t, blocks, content.Stream("main-slider"), content.Changed{Name: "main-slider", Slides: []content.Slide{{URL: "/", File: "/img/1.webp"}}, At: noon})
	if !ok || b.Name != "main-slider" || b.Slides[0].File != "/img/1.webp" {
		t.Errorf("block %+v", b)
	}
}

func TestDocumentFolds(t *testing.T) {
	said := func(words string) document.Text {
		return document.Text{Title: "Оферта", Source: words, HTML: "<p>" + words + "</p>"}
	}
	first := document.Published{Name: "offer", Version: "2026-03-02", RU: said("Первая"), At: noon}
	second := document.Published{Name: "offer", Version: "2026-03-02-2", RU: said("Вторая"), KK: said("Екінші"), At: noon}
	row, ok := folded(t, documentVersions, document.Stream("offer"), first)
	if want := (DocumentVersion{"offer/2026-03-02", "offer", "2026-03-02", "Оферта", "<p>Первая</p>", "", "", noon}); !ok || row != want {
		t.Errorf("%+v", row)
	}
	now, ok := folded(t, documentsInForce, document.Stream("offer"), first, second)
	if !ok || now != (DocumentInForce{"offer", "2026-03-02-2"}) {
		t.Errorf("%+v", now)
	}
	if _, ok := folded(t, documentsInForce, document.Stream("offer"), first, document.Withdrawn{Name: "offer", At: noon}); ok {
		t.Error("a document that was withdrawn is in force")
	}
}

func TestPostFolds(t *testing.T) {
	later := noon.Add(time.Hour)
	first := post.Article{Link: "inci", Title: "INCI", Excerpt: "Коротко", HTML: "<p>Да</p>", Picture: "/img/1.webp", Alt: "Флакон", PublishedAt: noon,
		Photo: &post.Photo{Width: 8, Height: 6}}
	second := post.Article{Link: "sostav", Title: "Состав", HTML: "<p>Нет</p>", PublishedAt: noon}
	p, ok := folded(t, posts, post.Stream(id(51)), post.Published{ID: id(51), Article: first, At: noon})
	if want := (Post{id(51), "inci", "INCI", "Коротко", "<p>Да</p>", "/img/1.webp", "Флакон", first.Photo, true, noon, noon}); !ok || p != want {
		t.Errorf("%+v", p)
	}
	p, _ = folded(t, posts, post.Stream(id(51)), post.Published{ID: id(51), Article: first, At: noon}, post.Changed{ID: id(51), Article: second, At: later})
	if want := (Post{id(51), "sostav", "Состав", "", "<p>Нет</p>", "", "", nil, true, noon, later}); p != want {
		t.Errorf("%+v", p)
	}
	p, ok = folded(t, posts, post.Stream(id(51)), post.Published{ID: id(51), Article: first, At: noon}, post.Unpublished{ID: id(51), At: later})
	if !ok || p.Published || p.Title != "INCI" || !p.UpdatedAt.Equal(later) {
		t.Errorf("%+v", p)
	}
}

// Every row type must fit its table: what was folded is read back as it was, by every projection.
func TestRowsSurviveTheDatabase(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	prepare(t, db, All()...)
	text := catalog.ProductText{Name: "Щётка", Description: strings.Repeat("очень длинное описание ", 90_000), Composition: strings.Repeat("Aqua, ", 200_000)}
	events := []eventstore.Event{
		event(stream, soapAdd), event(stream, catalog.ProductDescribed{Text: text, At: noon}), event(stream, catalog.ProductPriced{Price: 1590, DiscountedPrice: 1290, At: noon}),
		event(catalog.CategoryStream(id(21)), catalog.CategoryAdded{ID: id(21), Category: catalog.Category{Name: "Тело", Picture: &catalog.Picture{Src: "/c"}}}),
		event(catalog.BrandStream(id(11)), catalog.BrandAdded{ID: id(11), Brand: catalog.Brand{Name: "Kalm"}}),
		event(catalog.MarkStream(id(31)), catalog.MarkAdded{ID: id(31), Mark: catalog.Mark{Name: "Веган"}}),
		event(stock.Stream(soap), stock.Received{ProductID: soap, OnHand: 4, Reserved: 1, At: noon}),
		event(order.Stream(id(41)), order.Placed{ID: id(41), Number: 100001, At: noon, Calculation: domain.Calculation{Lines: []domain.PricedLine{{ProductID: soap, Amount: 2}}}}),
		event(order.Stream(id(43)), order.Placed{ID: id(43), BasketID: id(61), Number: 100002, PaymentMethod: domain.Cash, At: noon}),
		event(basket.Stream(id(62)), basket.Priced{BasketID: id(62), Calculation: domain.Calculation{Lines: []domain.PricedLine{{ProductID: soap, Amount: 2}}, TotalPaid: 100}, At: noon}),
		event(rules.Stream, rules.Changed{Version: 1, Rules: rules.Rules{MaxPerOrder: 99, NewDays: 30}}),
		event(promocode.Stream("A"), promocode.Issued{Code: "A", Terms: promocode.Terms{Kind: promocode.Fixed, Value: 500}}),
		event(content.Stream("discount-text"), content.Changed{Name: "discount-text", Text: "Скидки"}),
		event(document.Stream("offer"), document.Published{Name: "offer", Version: "2026-03-02", RU: document.Text{Title: "Оферта"}, At: noon}),
		event(post.Stream(id(51)), post.Published{ID: id(51), Article: post.Article{Link: "inci", Photo: &post.Photo{Width: 8, Height: 6}}}),
		event(post.Stream(id(52)), post.Published{ID: id(52), Article: post.Article{Link: "spf"}}),
	}
	for _, p := range All() {
		apply(t, db, p, events...)
		// A second pass reads every row back and must find nothing to change but what adds up.
		if p.Name != "popularity" && p.Name != "sales" {
			apply(t, db, p, events...)
		}
	}
	for sql, want := range map[string]string{
		"SELECT count(*) || ' ' || bool_and(on_sale) FROM catalog.product":                          "1 true",
		"SELECT name FROM catalog.product WHERE title @@ to_tsquery('russian', 'щетки')":            "Щётка",
		"SELECT name FROM catalog.product WHERE title @@ to_tsquery('russian', 'ka100')":            "Щётка",
		"SELECT name FROM catalog.product WHERE inci @@ to_tsquery('russian', 'aqua')":              "Щётка",
		"SELECT picture->>'src' FROM catalog.category WHERE title @@ to_tsquery('russian', 'тела')": "/c",
		"SELECT available::text FROM stock.level":                                                   "3",
		"SELECT day || ' ' || units FROM popularity.units":                                          "2026-03-02 2",
		"SELECT status || lines::text FROM orders.orders WHERE number = 100001":                     `RECEIVED[{"link": "", "name": "", "price": 0, "total": 0, "amount": 2, "article": "", "product_id": "00000000-0000-4000-8000-000000000001", "order_discount": 0, "discounted_price": 0}]`,
		"SELECT day || ' ' || step || payment_method FROM funnel.orders":                            "2026-03-02 4CASH",
		"SELECT day || ' ' || step || ' ' || money FROM funnel.baskets":                             "2026-03-02 1 100",
		"SELECT max_per_order || ' ' || new_days FROM rules.current":                                "99 30",
		"SELECT kind || value FROM promocode.code":                                                  "fixed500",
		"SELECT text || slides FROM content.block":                                                  "Скидки[]",
		"SELECT title || id FROM documents.version JOIN documents.current USING (name, version)":    "Офертаoffer/2026-03-02",
		"SELECT photo->>'width' FROM posts.post WHERE link = 'inci'":                                "8",
		"SELECT DISTINCT status || ' ' || day || ' ' || month || ' ' || counts FROM sales.orders":   "RECEIVED 2026-03-02 2026-03-01 true",
		"SELECT pieces::text || cardinality(products) FROM sales.lines WHERE products <> '{}'":      "{2}1",
		"SELECT month || ' ' || lines || ' ' || pieces FROM sales.goods":                            "2026-03-01 1 2",
		"SELECT name || ' ' || (places->0->>'month') FROM sales.product":                            "Щётка 2026-03-01",
		"SELECT name FROM sales.category":                                                           "Тело",
		"SELECT name FROM sales.brand":                                                              "Kalm",
		"SELECT link FROM posts.post WHERE photo IS NULL":                                           "spf",
	} {
		expect(t, pgtest.All[string](t, db, sql), want)
	}
}
