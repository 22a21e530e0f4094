package readapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/customer"
	"shop/domain/document"
	"shop/domain/order"
	"shop/domain/post"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi"
	"shop/readapi/search"
)

// today is the day of the tests.
var today = time.Date(2026, 3, 10, 12, 0, 0, 0, time.FixedZone("Asia/Almaty", 5*60*60))

func id(kind, n byte) domain.ID { return uuid.UUID{0: kind, 6: 0x40, 8: 0x80, 15: n} }

func product(n byte) domain.ID  { return id(0xa0, n) }
func brand(n byte) domain.ID    { return id(0xb0, n) }
func category(n byte) domain.ID { return id(0xc0, n) }
func mark(n byte) domain.ID     { return id(0xd0, n) }

// goods are the products of the tests; days is how long ago each was added.
type goods struct {
	n, brand, category byte
	link, name         string
	article            string
	price, now         int64
	stock              int64
	days               int
	composition        string
}

var shelf = []goods{
	{1, 1, 11, "ostara-niacinamide-serum", "Сыворотка для лица с ниацинамидом 5 %", "OS-101", 9490, 7990, 12, 3, "Aqua, Niacinamide, Glycerin, Tilia Cordata Flower Extract"},
	{2, 2, 11, "tilia-linden-cream", "Крем для лица увлажняющий «Липа и сквалан»", "TI-204", 8900, 8900, 5, 40, "Aqua, Squalane, Butyrospermum Parkii Butter"},
	{3, 1, 11, "ostara-rose-toner", "Тоник для лица «Дамасская роза»", "OS-115", 5690, 5690, 0, 12, "Rosa Damascena Flower Water"},
	{4, 3, 12, "norden-birch-shampoo", "Шампунь для ежедневного ухода с берёзовым соком", "NO-33/7", 6450, 6450, 120, 5, "Aqua, Betula Alba Juice, Coco-Glucoside"},
	{5, 2, 11, "tilia-lip-balm", "Бальзам для губ с воском и календулой", "TI-210", 1990, 1990, 30, 80, "Cera Alba, Calendula Officinalis Flower Extract"},
	{6, 4, 2, "kalm-lavender-soap", "Мыло твёрдое с лавандой, ручная варка", "KA-100", 1590, 1590, 200, 100, "Sodium Olivate, Sodium Cocoate, Lavandula Angustifolia Oil"},
	{7, 3, 2, "norden-deo", "Дезодорант без отдушки", "NO-40", 4150, 3490, 8, 2, "Sodium Bicarbonate, Zinc Ricinoleate"},
}

// log builds the events of the tests, in order.
// log makes up events. What was before them counts for their versions.
type log struct{ before, events []eventstore.Event }

// afterHistory is a log that goes on where history ends.
func afterHistory() *log { return &log{before: history()} }

func (l *log) add(stream string, events ...domain.Event) {
	for _, data := range events {
		l.events = append(l.events, eventstore.Event{
			Stream: stream, Slice: eventstore.SliceOf(stream), Type: data.EventType(), Schema: 1, Data: data,
			Position: eventstore.Position(len(l.before) + len(l.events) + 1), Version: l.version(stream) + 1,
		})
	}
}

// version is how many events a stream has.
func (l *log) version(stream string) (v eventstore.Version) {
	for _, all := range [][]eventstore.Event{l.before, l.events} {
		for _, e := range all {
			if e.Stream == stream {
				v++
			}
		}
	}
	return v
}

func history() []eventstore.Event {
	var l log
	l.add(rules.Stream, rules.Changed{Version: 1, At: today, Rules: rules.Rules{
		Tiers:      []rules.Tier{{From: 30000, Percent: 5}, {From: 50000, Percent: 10}, {From: 100000, Percent: 15}},
		MinimumSum: 7000, Delivery: []rules.CityDelivery{{City: "Алматы", Aliases: []string{"Алма-Ата"}, Price: 1900, FreeFrom: 15000}},
		MaxPerOrder: 99, BonusSpendPercent: 30, BonusEarnPercent: 3, CardMinutes: 30, KaspiMinutes: 1440, NewDays: 30, SameDayUntil: 12,
	}})
	for _, c := range []struct {
		n, parent         byte
		link, name, place string
	}{{1, 0, "litso", "Лицо", "dropper"}, {11, 1, "uhod-za-litsom", "Уход за лицом", "jar"}, {2, 0, "telo", "Тело", "soap"}, {3, 0, "volosy", "Волосы", "bottle"}, {12, 3, "shampuni", "Шампуни", "bottle"}} {
		cat := catalog.Category{Link: c.link, Name: c.name, Description: "Всё для ухода", Placeholder: c.place, Order: int(c.n)}
		if c.parent != 0 {
			cat.ParentID = category(c.parent)
		}
		l.add(catalog.CategoryStream(category(c.n)), catalog.CategoryAdded{ID: category(c.n), Category: cat, At: today})
	}
	l.add(catalog.CategoryStream(category(4)), catalog.CategoryAdded{ID: category(4), Category: catalog.Category{Link: "arhiv", Name: "Архив"}}, catalog.CategoryArchived{At: today})
	for i, name := range []string{"Ostara", "Tilia", "NORDEN", "Kalm"} {
		n := byte(i + 1)
		l.add(catalog.BrandStream(brand(n)), catalog.BrandAdded{ID: brand(n), At: today, Brand: catalog.Brand{
			Link: strings.ToLower(name), Name: name, Description: "Небольшая мастерская. Работает с 2009 года.", Logo: &catalog.Picture{Src: "/img/brands/" + strings.ToLower(name) + ".svg"}}})
	}
	l.add(catalog.MarkStream(mark(1)), catalog.MarkAdded{ID: mark(1), Mark: catalog.Mark{Name: "Веган", Description: "В составе нет компонентов животного происхождения."}})
	for _, g := range shelf {
		at := today.AddDate(0, 0, -g.days)
		l.add(catalog.ProductStream(product(g.n)),
			catalog.ProductAdded{ID: product(g.n), Article: g.article, Link: g.link, BrandID: brand(g.brand), CategoryID: category(g.category), At: at},
			catalog.ProductDescribed{At: at, Text: catalog.ProductText{Name: g.name, Description: "Бережный уход каждый день.", Composition: g.composition,
				Expires: "12 месяцев после вскрытия", ApplyMethod: "Нанести на кожу", PackageSize: "50 мл", MadeIn: "Латвия"}},
			catalog.ProductPriced{Price: g.price, DiscountedPrice: g.now, At: at},
			catalog.ProductMarked{Marks: []domain.ID{mark(1)}, At: at})
		if g.stock > 0 {
			l.add(stock.Stream(product(g.n)), stock.Received{ProductID: product(g.n), Quantity: g.stock, OnHand: g.stock, At: at})
		}
	}
	l.add(catalog.ProductStream(product(1)), catalog.ProductPictured{At: today, Pictures: []catalog.Picture{
		{Src: "/img/serum.webp", Width: 900, Height: 1200, Sources: []catalog.Source{{Type: "image/avif", Srcset: "/img/serum-450.avif 450w, /img/serum-900.avif 900w"}}},
		{Src: "/img/serum-2.webp"}}})
	l.add(stock.Stream(product(1)), stock.Reserved{ProductID: product(1), Quantity: 2, OnHand: 12, Reserved: 2, At: today})
	// Archived, and added but never priced: neither is sold.
	l.add(catalog.ProductStream(product(8)), catalog.ProductAdded{ID: product(8), Article: "AR-1", Link: "staryj-krem", BrandID: brand(1), CategoryID: category(11), At: today},
		catalog.ProductDescribed{Text: catalog.ProductText{Name: "Крем прошлых лет"}}, catalog.ProductPriced{Price: 100, DiscountedPrice: 100}, catalog.ProductArchived{At: today})
	l.add(catalog.ProductStream(product(9)), catalog.ProductAdded{ID: product(9), Article: "AR-2", Link: "bez-ceny", At: today}, catalog.ProductDescribed{Text: catalog.ProductText{Name: "Крем без цены"}})
	for i, sold := range []struct {
		product byte
		amount  int64
		days    int
	}{{5, 3, 10}, {6, 4, 20}, {5, 2, 1}, {2, 50, 91}} {
		l.add(order.Stream(id(0xe0, byte(i))), order.Placed{ID: id(0xe0, byte(i)), Number: 100001 + int64(i), At: today.AddDate(0, 0, -sold.days),
			Calculation: domain.Calculation{Lines: []domain.PricedLine{{ProductID: product(sold.product), Amount: sold.amount}}}})
	}
	anna := id(0xf0, 1)
	l.add(customer.Stream(anna),
		customer.Registered{ID: anna, Email: "anna@example.kz", ConsentText: "2026-01", At: today, Profile: customer.Profile{
			FirstName: "Анна", LastName: "Ким", Phone: "+77012345678", City: "Алматы", Street: "Абая", House: "10", Apartment: "5"}},
		customer.EmailVerified{ID: anna, Email: "anna@example.kz", At: today},
		customer.EmailChangeRequested{ID: anna, Email: "kim@example.kz", Until: today.Add(customer.ChangeFor), At: today},
		customer.PhotoChanged{ID: anna, PhotoID: id(0xf1, 1), At: today})
	l.add(customer.Stream(id(0xf0, 2)), customer.Registered{ID: id(0xf0, 2), Email: "b@example.kz", At: today}, customer.ErasureRequested{ID: id(0xf0, 2), By: "customer", At: today})
	bought := func(n int, good, person, customer domain.ID) order.Placed {
		return order.Placed{ID: id(0xe1, byte(n)), Number: 100100 + int64(n), CustomerID: customer, PersonID: person, At: today.Add(time.Duration(n) * time.Hour), City: "Алматы",
			Contact: order.Contact{FirstName: "Анна", LastName: "Ким", Email: "anna@example.kz", Phone: "+77012345678"},
			Address: order.Address{City: "Алматы", Street: "Абая", House: "10", Apartment: "5", Entrance: "2", Floor: "3"}, DeliveryType: domain.Delivery, PaymentMethod: domain.Cash,
			DeliveryDate: "2026-03-11", Calculation: domain.Calculation{TotalSum: 15980, DiscountedSum: 15980, TotalPaid: 15980, PayableOnDelivery: 15980,
				Lines: []domain.PricedLine{
					{ProductID: good, Article: "OS-101", Name: "Сыворотка для лица", Link: "ostara-niacinamide-serum", Picture: "/img/serum.webp", Amount: 2, Price: 9490, DiscountedPrice: 7990, Total: 15980}},
				Explanation: []domain.Step{{Code: "list_prices", Label: "Товары", Amount: 15980}}}}
	}
	gone := product(99)
	l.add(order.Stream(id(0xe1, 1)), bought(1, product(1), anna, anna), order.Approved{At: today.Add(2 * time.Hour)}, order.ProcessingStarted{At: today.Add(3 * time.Hour)},
		order.Packed{At: today.Add(3 * time.Hour)}, order.HandedOver{Carrier: "kazpost", Tracking: "KZ-1234", At: today.Add(3 * time.Hour)}, order.Completed{At: today.Add(4 * time.Hour)})
	l.add(order.Stream(id(0xe1, 2)), bought(2, gone, id(0xf2, 1), domain.ID{}), order.Joined{CustomerID: anna, At: today.Add(5 * time.Hour)}, order.Approved{At: today.Add(6 * time.Hour)})
	l.add(order.Stream(id(0xe1, 3)), bought(3, gone, id(0xf2, 2), domain.ID{}))
	l.add(order.Stream(id(0xe1, 4)), bought(4, gone, id(0xf2, 3), id(0xf0, 9)))
	l.add(content.Stream("main-slider"), content.Changed{Name: "main-slider", Slides: []content.Slide{{URL: "/category/telo", File: "/img/hero.webp", Alt: "Мыло на камне"}}, At: today})
	for i, words := range []string{"Первая редакция.", "Вторая редакция."} {
		version := []string{"2026-03-01", "2026-03-01-2"}[i]
		said := document.Text{Title: "Публичная оферта", Source: words, HTML: "<h2>1. Предложение</h2>\n<p>" + words + "</p>"}
		l.add(document.Stream("offer"), document.Published{Name: "offer", Version: version, RU: said, At: today})
	}
	l.add(content.Stream("discount-text-kk"), content.Changed{Name: "discount-text-kk", Text: "Жеңілдік: {tiers}. {main_city} — {free_from}-ден бастап тегін.", At: today})
	l.add(content.Stream("discount-text"), content.Changed{Name: "discount-text", Text: "Скидки: {tiers}. Доставка по городу {main_city} — {delivery_price}, от {free_from} бесплатно. Минимум {minimum_sum}. {неизвестное}", At: today})
	for i, title := range []string{"Как читать состав по INCI", "Уход за кожей зимой в Алматы", "Что значит знак COSMOS", "Черновик"} {
		n := byte(i + 1)
		a := post.Article{
			Link: []string{"kak-chitat-inci", "zima-v-almaty", "znak-cosmos", "chernovik"}[i], Title: title, Excerpt: "Коротко о главном. Подробности внутри.",
			HTML: "<h2>О главном</h2>\n<p>Состав пишут <em>по убыванию</em> доли.</p>\n", PublishedAt: today.AddDate(0, 0, -20+i),
		}
		switch n {
		case 1:
			a.Picture, a.Alt = "/img/serum.webp", "Флакон сыворотки на сером камне"
			a.Photo = &post.Photo{Width: 900, Height: 1200, Sources: []post.Source{{Type: "image/avif", Srcset: "/img/serum-450.avif 450w, /img/serum-900.avif 900w"}}}
		case 2:
			a.Picture = "https://cdn.example.kz/zima.jpg"
		}
		l.add(post.Stream(id(0xf7, n)), post.Published{ID: id(0xf7, n), Article: a, At: today})
	}
	l.add(post.Stream(id(0xf7, 4)), post.Unpublished{ID: id(0xf7, 4), At: today})
	for code, terms := range map[string]promocode.Terms{
		"WELCOME10": {Kind: promocode.Percent, Value: 10, MinSum: 5000, ValidUntil: today.AddDate(0, 1, 0)},
		"FIX500":    {Kind: promocode.Fixed, Value: 500},
		"OLD":       {Kind: promocode.Percent, Value: 5, ValidUntil: today.AddDate(0, -1, 0)},
		"SOON":      {Kind: promocode.Percent, Value: 5, ValidFrom: today.AddDate(0, 1, 0)},
		"USED":      {Kind: promocode.Percent, Value: 5, Uses: 1},
		"GONE":      {Kind: promocode.Percent, Value: 5},
	} {
		l.add(promocode.Stream(code), promocode.Issued{Code: code, Terms: terms, At: today})
	}
	l.add(promocode.Stream("USED"), promocode.Redeemed{Code: "USED"})
	l.add(promocode.Stream("GONE"), promocode.Revoked{Code: "GONE"})
	addOpinions(&l)
	return l.events
}

// open is a shop with this history: real handlers on a real database.
func open(t testing.TB, events []eventstore.Event) (*pgxpool.Pool, http.Handler) {
	t.Helper()
	db := pgtest.Open(t)
	if _, err := rebuild.Prepare(t.Context(), db, projections.All()...); err != nil {
		t.Fatal(err)
	}
	project(t, db, events)
	addPhotos(t, db)
	return db, routes(db, readapi.Fresh{Positions: standing(1 << 60)}, nil)
}

func project(t testing.TB, db *pgxpool.Pool, events []eventstore.Event) {
	t.Helper()
	for _, p := range projections.All() {
		err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error { return p.Apply(t.Context(), tx, events) })
		if err != nil {
			t.Fatal(err)
		}
	}
}

// standing is a read model that stands at a position.
type standing eventstore.Position

func (s standing) WaitFor(ctx context.Context, _ string, p eventstore.Position) (eventstore.Position, error) {
	if p > eventstore.Position(s) {
		<-ctx.Done()
		return eventstore.Position(s), ctx.Err()
	}
	return eventstore.Position(s), nil
}

// routes are the endpoints; nil answers: each is made anew.
func routes(db *pgxpool.Pool, fresh readapi.Fresh, answers *readapi.Answers) http.Handler {
	now := func() time.Time { return today }
	products := readapi.Products{DB: db, Now: now, Index: search.New(db)}
	categories, brands := readapi.Categories{DB: db, Now: now}, readapi.Brands{DB: db, Now: now}
	mine, myCategories, myBrands := products, categories, brands
	mine.Customer, myCategories.Customer, myBrands.Customer = anna, anna, anna
	answer := func(e readapi.Endpoint) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			err := answers.Endpoint(e)(w, r)
			if err == nil {
				return
			}
			status, body, ok := readapi.Answer(err)
			if !ok {
				body = map[string]string{"unexpected": err.Error()}
			}
			w.WriteHeader(status)
			json.NewEncoder(w).Encode(body)
		}
	}
	r := chi.NewRouter()
	r.Use(middleware.StripSlashes)
	r.Group(func(r chi.Router) {
		r.Use(fresh.For("catalog", "stock", "rules", "popularity", "content", "documents", "posts", "promocode"))
		// What everybody sees, and below it what Anna does.
		both := func(path string, everybody, hers readapi.Endpoint) {
			r.Get(path, answer(everybody))
			r.Get(path+"/mine", answer(hers))
		}
		both("/api/products", products.List, mine.List)
		both("/api/products/popular", products.Popular, mine.Popular)
		both("/api/products/{id}", products.Show, mine.Show)
		both("/api/products/{id}/similar", products.Similar, mine.Similar)
		both("/api/categories/{id}", categories.Show, myCategories.Show)
		both("/api/brands/{id}", brands.Show, myBrands.Show)
		r.Get("/api/products/suggest", answer(products.Suggest))
		r.Get("/api/products/{id}/stock", answer(products.Stock))
		r.Get("/api/products/{id}/reviews", answer(readapi.Reviews{DB: db}.OfProduct))
		r.Get("/api/subscriptions/products", answer(readapi.Restock{DB: db, Customer: anna}.List))
		r.Get("/api/auth/profile/bonuses", answer(readapi.Bonuses{DB: db, Customer: anna}.Show))
		r.Get("/api/categories", answer(categories.List))
		r.Get("/api/brands", answer(brands.List))
		r.Get("/api/geonames", answer(readapi.Geonames))
		r.Get("/api/content/find/{name}", answer(readapi.Content{DB: db}.Find))
		r.Get("/api/content/home", answer(readapi.Pages{DB: db}.Home))
		r.Get("/api/content/pages/{name}", answer(readapi.Pages{DB: db}.Show))
		r.Get("/api/blog/posts", answer(readapi.Posts{DB: db}.List))
		r.Get("/api/blog/posts/{id}", answer(readapi.Posts{DB: db}.Show))
		r.Get("/api/rules", answer(readapi.Rules{DB: db, Now: now}.Show))
		shop := readapi.Shop{DB: db, Stated: readapi.ShopView{
			Name: "Дала", Email: "hello@dala.example", SocialURL: "https://www.instagram.com/",
			Address: "Алматы, пр. Достык, 208/5", OfferVersion: "2026-01", PaymentMethods: []string{"CARD", "KASPI_BILL", "CASH"},
			Returns: "Парфюмерия и косметика надлежащего качества возврату и обмену не подлежат.", ReturnsKK: "Тиісті сападағы парфюмерия мен косметика қайтарылмайды.",
			Menu: []readapi.MenuWay{
				{Text: "О нас", TextKK: "Біз туралы", Address: "/about"}, {Text: "Бренды", TextKK: "Брендтер", Address: "/brands"},
				{Text: "Подарки", Address: "/gifts"},
			},
			FooterMenu: []readapi.MenuWay{{Text: "Все категории", TextKK: "Барлық санат", Address: "/categories"}, {Text: "О нас", Address: "/about"}},
		}}
		r.Get("/api/shop", answer(shop.Show))
		r.Get("/api/documents/{name}", answer(readapi.Documents{DB: db, Shop: shop}.Show))
		mine := readapi.Orders{DB: db, Customer: asked, Links: oneKey{}, LinkFor: 90 * 24 * time.Hour, Now: now}
		r.Get("/api/auth/profile", answer(readapi.Profiles{DB: db, Customer: asked, Clock: func() time.Time { return today }}.Show))
		r.Get("/api/orders", answer(mine.List))
		r.Get("/api/orders/{id}", answer(mine.Show))
		r.Get("/api/promocodes/{code}", answer(readapi.Promocodes{DB: db, Now: now}.Show))
	})
	return r
}

type askerKey struct{}

// asked is who asks, as the header of tests says.
func asked(ctx context.Context) uuid.UUID {
	id, _ := ctx.Value(askerKey{}).(uuid.UUID)
	return id
}

// oneKey opens every order with the word open.
type oneKey struct{}

func (oneKey) OpensOrder(_ uuid.UUID, key string) bool { return key == "open" }

// get asks and returns status, body and headers.
func get(t testing.TB, h http.Handler, address string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if id, err := uuid.Parse(r.Header.Get("Asker")); err == nil {
		r = r.WithContext(context.WithValue(r.Context(), askerKey{}, id))
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func (s standing) Within(_ context.Context, p eventstore.Position) eventstore.Position { return p }
