package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/app"
	"shop/cmd/shop/images"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/blog"
	"shop/commands/identity"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
	"shop/commands/payments"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/order"
	"shop/eventstore"
	"shop/eventstore/registry"
)

// IsEmpty says whether nothing was ever sold or ordered here.
func IsEmpty(ctx context.Context, s *app.Shop) (bool, error) {
	// Rules are recorded at every first start, so a log has an event from the beginning.
	events, err := s.Store.Read(ctx, eventstore.Query{Range: -1, Limit: 2})
	return len(events) < 2, err
}

// DemoIfEmpty opens the demo where nothing is that it would mix with, and says how staff sign in to it. A shop with an https
// address is public and gets no accounts of staff.
func DemoIfEmpty(ctx context.Context, s *app.Shop, w terminal.World) error {
	empty, err := IsEmpty(ctx, s)
	switch {
	case err != nil:
		return err
	case empty:
		return Open(ctx, s, w, Orders)
	}
	return welcomeStaff(ctx, s, w)
}

// Open loads the demo with so many orders, lets its staff in, and gives every desk of the office something to show.
func Open(ctx context.Context, s *app.Shop, w terminal.World, orders int) error {
	placed, err := loadDemo(ctx, s, w, orders)
	if err == nil {
		err = welcomeStaff(ctx, s, w)
	}
	if err == nil {
		err = furnishDesks(ctx, s, placed)
	}
	return err
}

// MaxDemoOrders keeps a slip of the finger from loading for a day.
const MaxDemoOrders = 1_000_000

// demoSeed makes the demo's past the same for everyone who loads it at the same time of day.
const demoSeed = 1

// loader plays the demo's past through the very commands that shoppers and staff use, with a clock it sets.
type loader struct {
	shop     *app.Shop
	clock    time.Time
	handler  *commands.Handler
	store    *eventstore.Store
	orders   *commands.Orders
	baskets  *commands.Baskets
	stock    *commands.Stock
	reviews  *commands.Reviews
	accounts *identity.Accounts
	pictures map[string]catalog.Picture
	dir      importer.Directory
	// placed are the receipts by their place in the plan, priced the baskets they come from.
	placed []commands.Receipt
	priced []domain.ID
	// attempts is how often each order was paid again.
	attempts []int
	// members are the accounts opened so far, by e-mail.
	members map[string]domain.ID
}

// LoadDemo loads the demo with so many orders.
func LoadDemo(ctx context.Context, s *app.Shop, w terminal.World, orders int) error {
	_, err := loadDemo(ctx, s, w, orders)
	return err
}

// loadDemo is LoadDemo with the receipts of the orders, in their order. It writes through a connection that does not wait for the disk: what
// a crash would take of it can be loaded again.
func loadDemo(ctx context.Context, s *app.Shop, w terminal.World, orders int) ([]commands.Receipt, error) {
	began := time.Now()
	settings := s.Pool.Config().Copy()
	settings.MaxConns = 4
	settings.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	l := &loader{shop: s, members: map[string]domain.ID{}}
	now := func() time.Time { return l.clock }
	l.store = eventstore.Open(pool, registry.New(), eventstore.Options{Clock: now, Past: true, Logger: s.Log, Keys: s.Store.Keys()})
	defer l.store.Close()
	l.handler = commands.New(l.store, commands.Options{Clock: now})
	l.stock = &commands.Stock{Handler: l.handler}
	shared, err := s.Orders()
	if err != nil {
		return nil, err
	}
	own := *shared // with a clock of its own
	own.Handler = l.handler
	l.orders = &own
	l.baskets = &commands.Baskets{Handler: l.handler, Cities: l.orders.Cities, Secret: l.orders.Secret}
	l.reviews = &commands.Reviews{Handler: l.handler, Album: s.Album}
	customers := *s.Customers
	customers.Handler = l.handler
	l.accounts = &customers
	if l.pictures, err = images.Pictures(); err != nil {
		return nil, err
	}
	if l.dir, err = Directory(); err != nil {
		return nil, err
	}
	goods, err := Goods()
	if err != nil {
		return nil, err
	}
	plan := Past(time.Now(), goods, orders, demoSeed)
	if err := l.play(ctx, w, plan, goods); err != nil {
		return nil, fmt.Errorf("the demo is only partly loaded, remove the data folder (or the database) to start anew: %w", err)
	}
	head, err := s.Store.Head(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w.Stderr, "demo: %d products, %d orders, %d baskets left behind, %d accounts, %d reviews, %d events in %s\n",
		len(goods), len(plan.Orders), len(plan.Abandoned), len(plan.Members), len(plan.Reviews), head, time.Since(began).Round(100*time.Millisecond))
	return l.placed, nil
}

// open is the shop's first day: the catalog without what came later, and the texts.
func (l *loader) open(ctx context.Context, goods []Good, plan Plan) error {
	file, err := EarlyCatalogFile(goods, plan)
	if err != nil {
		return err
	}
	if err := l.importGoods(ctx, file); err != nil {
		return err
	}
	texts := &commands.Content{Handler: l.handler}
	inRussian, inKazakh := l.slides()
	for _, block := range []struct {
		name, text string
		slides     []content.Slide
	}{
		{"main-slider", "", inRussian},
		{content.Kazakh("main-slider"), "", inKazakh},
		{content.DiscountText, "Скидка на весь заказ: {tiers}. Доставка в {main_city} бесплатно от {free_from}.", nil},
		{content.Kazakh(content.DiscountText), "Бүкіл тапсырысқа жеңілдік: {tiers}. {main_city}: {free_from}-ден бастап жеткізу тегін.", nil},
	} {
		if _, err := texts.Change(ctx, block.name, block.text, block.slides); err != nil {
			return err
		}
	}
	return nil
}

// blog is posts at even distances between a day and now.
func (l *loader) blog(ctx context.Context, since time.Time) ([]past, error) {
	posts, err := Posts()
	if err != nil {
		return nil, err
	}
	apart := time.Since(since) / time.Duration(len(posts)+1)
	var story []past
	for i, p := range posts {
		story = append(story, past{since.Add(time.Duration(i+1) * apart), func(context.Context) error {
			_, err := (&blog.Posts{Handler: l.handler, Log: l.store}).Publish(ctx, p.Article)
			return p.Blame(err)
		}})
	}
	return story, nil
}

func (l *loader) slides() (inRussian, inKazakh []content.Slide) {
	for _, s := range []struct{ picture, url, alt, altKK string }{
		{"/img/hero/hero-m", "/categories", "Натуральная косметика на каменной полке среди трав", "Тас сөредегі шөптер арасындағы табиғи косметика"},
		{"/img/hero/banner-novinki", "/category/syvorotki", "Сыворотка, гидролат и крем в тени листвы", "Жапырақ көлеңкесіндегі жаңа тауарлар"},
		{"/img/hero/banner-dom", "/categories/dom", "Средства для дома и свеча у окна", "Терезе жанындағы үйге арналған құралдар мен шам"},
	} {
		if p, found := l.pictures[s.picture]; found {
			inRussian = append(inRussian, content.Slide{URL: s.url, File: p.Src, Alt: s.alt})
			inKazakh = append(inKazakh, content.Slide{URL: s.url, File: p.Src, Alt: s.altKK})
		}
	}
	return inRussian, inKazakh
}

func (l *loader) importGoods(ctx context.Context, catalogFile io.Reader) error {
	file, err := catalogfile.Open(catalogFile, "demo.xml", catalogfile.Options{})
	if err != nil {
		return err
	}
	run := importer.Catalog{Handler: l.handler, Log: l.store}
	_, err = run.Import(ctx, file, importer.Options{
		Source: "demo.xml", Pictures: l.pictures, Directory: l.dir, KeepStock: true,
	})
	return err
}

// linesOf are a basket's lines as commands want them.
func linesOf(b Basket) []commands.Line {
	lines := make([]commands.Line, len(b.Lines))
	for n, line := range b.Lines {
		lines[n] = commands.Line{ProductID: importer.ProductID(line.Article), Amount: line.Amount}
	}
	return lines
}

// price prices a new basket.
func (l *loader) price(ctx context.Context, b Basket) (domain.ID, error) {
	p := commands.PriceBasket{
		BasketID: uuid.Must(uuid.NewV7()), Lines: linesOf(b), Promocode: b.Promocode, City: b.City, DeliveryType: b.Delivery, PaymentMethod: b.Payment,
	}
	if id, in := l.members[b.Email]; in && b.Member {
		p.CustomerID = id
		ctx = commands.AsCustomer(ctx, id)
		if b.SpendBonus {
			p.SpendBonus = -1
		}
	}
	_, _, _, err := l.baskets.Price(ctx, p)
	var short *commands.Invalid
	if errors.As(err, &short) { // of something there is too little: the basket remembers that too
		err = nil
	}
	return p.BasketID, err
}

// abandon is the end of a basket that does not become an order.
func (l *loader) abandon(ctx context.Context, id domain.ID, a Abandoned) error {
	if !a.Tried {
		_, _, _, err := l.baskets.Price(ctx, commands.PriceBasket{BasketID: id, City: a.City, DeliveryType: a.Delivery, PaymentMethod: a.Payment})
		return err
	}
	if receipt, _, err := l.orders.Checkout(ctx, l.checkout(id, a.Basket)); err == nil {
		return fmt.Errorf("order %d was made in spite of %s", receipt.Number, a.Reason)
	}
	return nil
}

func (l *loader) checkout(id domain.ID, b Basket) commands.Checkout {
	p := b.Person
	c := commands.Checkout{
		BasketID: id, Lines: linesOf(b), Contact: order.Contact{FirstName: p.FirstName, LastName: p.LastName, Email: strings.ToLower(p.Email), Phone: p.Phone},
		Address:      order.Address{City: p.City, Street: p.Street, House: p.House, Apartment: p.Apartment, Entrance: p.Entrance, Floor: p.Floor},
		DeliveryType: b.Delivery, PaymentMethod: b.Payment, Promocode: b.Promocode,
	}
	if b.Delivery == domain.Pickup {
		c.Address = order.Address{City: p.City}
	}
	if b.Member {
		c.CustomerID = l.members[p.Email]
	}
	if b.SpendBonus {
		c.SpendBonus = -1
	}
	return c
}

func (l *loader) place(ctx context.Context, i int, o Order) error {
	checkout := l.checkout(l.priced[i], o.Basket)
	checkout.Address.Comment = o.Comment
	if o.Member {
		ctx = commands.AsCustomer(ctx, checkout.CustomerID)
	}
	receipt, _, err := l.orders.Checkout(ctx, checkout)
	l.placed[i] = receipt
	return err
}

func (l *loader) step(ctx context.Context, i int, o Order, s Step) error {
	receipt := l.placed[i]
	staff := as(ctx, "staff:demo")
	if s.Kind == PayAgain {
		l.attempts[i]++
	}
	payment := payments.ID(receipt.ID, 1+l.attempts[i])
	var err error
	switch s.Kind {
	case Pay:
		_, err = l.orders.Settle(ctx, payments.Notification{PaymentID: payment, Outcome: payments.Paid, Amount: receipt.PayableNow})
	case RefusePayment:
		_, err = l.orders.Settle(ctx, payments.Notification{PaymentID: payment, Outcome: payments.Refused, Reason: s.Reason})
	case PayAgain:
		_, _, err = l.orders.Pay(ctx, receipt.ID)
	case ExpirePayment:
		_, err = l.orders.ExpirePayment(as(ctx, "system:expire-payments"), receipt.ID)
	case Approve:
		_, err = l.orders.Approve(staff, receipt.ID)
	case Process:
		_, err = l.orders.Process(staff, receipt.ID)
	case Complete:
		_, err = l.orders.Complete(staff, receipt.ID)
	case Cancel:
		_, err = l.orders.Cancel(staff, receipt.ID, s.By, s.Reason)
	case Refund:
		_, err = l.orders.Refund(staff, receipt.ID, receipt.PayableNow/3, "demo")
	}
	if booked := s.Kind != Pay && s.Kind != Approve && s.Kind != Process; err == nil && o.Member && booked {
		// At its time, and not when the policy comes to it.
		_, err = (&commands.Bonuses{Handler: l.handler}).Follow(as(ctx, "system:follow-bonuses"), receipt.ID)
	}
	return err
}
