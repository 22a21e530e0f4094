package main

import (
	"context"
	"io"
	"runtime"
	"time"

	"github.com/google/uuid"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/live"
	"shop/cmd/shop/ops"
	"shop/cmd/shop/pages"
	"shop/commands"
	"shop/commands/fulfilment"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
	"shop/commands/mail"
	"shop/commands/merchant"
	"shop/commands/searches"
	"shop/commands/staffapi"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/eventstore/feed"
	"shop/readapi"
	"shop/readapi/replicas"
	"shop/readapi/search"
	reads "shop/readapi/staff"
	"shop/web"
)

// newSite fills in what the URLs lead to.
func newSite(s *app.Shop, projecting *app.Projecting) (*edge.Site, error) {
	c := s.Config
	dist := web.Dist()
	if !pages.IsBuilt(dist) {
		s.Log.Warn("the storefront is not built into this program: run make build")
	}
	files, err := edge.LoadAssets(dist)
	if err != nil {
		return nil, err
	}
	if err := files.Name(c.Contact.Name); err != nil {
		return nil, err
	}
	facts := readapi.Facts{DB: s.Pool}
	drawn, err := pages.LoadPages(dist, c.Contact.Name, c.PublicURL, s.Log)
	if err != nil {
		return nil, err
	}
	if c.Payments == "sandbox" {
		drawn.TellTestBank(c.Published())
	}
	orders, err := s.Orders()
	if err != nil {
		return nil, err
	}
	https := c.Https()
	shop := catalogfile.Shop{Name: c.Contact.Name, LegalName: c.Contact.LegalName, URL: c.PublicURL}
	site := &edge.Site{
		Config: c, Log: s.Log, Https: https,
		Pages: drawn, Assets: files,
		Fresh:   readapi.Fresh{Positions: projecting},
		Answers: projecting.Answers, Replicas: s.Replicas,
		Reads:   readsOf(s, orders),
		Yml:     &pages.MarketFeed{Db: s.Pool, Shop: shop, Clock: s.Clock, Begin: pages.YmlFeed},
		Google:  &pages.MarketFeed{Db: s.Pool, Shop: shop, Clock: s.Clock, Begin: catalogfile.NewGoogle},
		SiteMap: &pages.SiteMap{Origin: c.PublicURL, Fixed: drawn.Fixed(), List: sitemapOf(s), Clock: s.Clock},
		Baskets: &commands.Baskets{Handler: s.Handler, Links: facts, Cities: orders.Cities, Secret: orders.Secret, Most: c.BasketEvents},
		Orders:  orders,
		Reviews: s.Reviews,
		Restock: s.Restock,
		Album:   s.Album,

		Bank:           app.BankOf(orders, c),
		Customers:      s.Customers,
		Guests:         s.Guests,
		Unsubscription: s.Unsubscription,
		Passkeys:       s.Passkeys, Staff: s.Accounts, Security: s.Security,
		Ops: ops.NewOps(s.Pool, s.Store, s.Builder, s.Accounts, s.Log),
	}
	if c.Region.Name == "" {
		site.Epoch = &edge.Epoch{Of: s.Store.Epoch}
		site.Fresh.Epoch = site.Epoch.Mark
	} else {
		drawn.TellRegion()
	}
	site.Ops.Replicas = s.Replicas
	site.StaffOrders = &staffapi.Orders{
		Orders: orders, Numbered: reads.Shop{DB: s.Pool}, Sheets: reads.NewReader(s.Pool, s.Store, s.Builder), Accounts: s.Accounts,
		Guests: s.Guests, Letters: s.Letters(), Log: s.Log, Past: s.Past,
	}
	site.StaffReviews = &staffapi.Reviews{Reviews: s.Reviews, Guests: s.Guests, Lines: reads.Shop{DB: s.Pool}, Past: s.Past, Album: s.Album}
	site.Desks = withPreview(desksOf(s, orders), previewOf(s, orders, drawn))
	site.Team = &staffapi.Team{Staff: s.Staff, Accounts: s.Accounts}
	site.Live = &live.Hub{Log: s.Store, Changes: reads.Shop{DB: s.Pool}, Sessions: s.Accounts, Logger: s.Log}
	site.StaffParcels = &staffapi.Parcels{
		Parcels: fulfilment.Parcels{Orders: orders, Album: s.Album}, Catalog: &commands.Catalog{Handler: s.Handler}, Orders: site.StaffOrders, Shop: reads.Shop{DB: s.Pool}, Past: s.Past,
		Accounts: s.Accounts, Album: s.Album, Clock: s.Clock, Log: s.Log, Seller: c.Contact.Name,
	}
	site.StaffNotices = staffapi.Notices{Board: s.Notices}
	site.StaffToday = staffapi.Today{Shop: reads.Shop{DB: s.Pool}, Past: s.Past, Clock: s.Clock}
	drawn.Reads, drawn.Gather, drawn.Position, drawn.Pictures.List = site.PageReads(), site.Answers.Gather, projecting.Shown, readapi.PictureHosts{DB: replicas.Of(s.Pool)}.List
	script, err := pages.ReadBuilt(dist, pages.ServerScript, "")
	if err != nil {
		return nil, err
	}
	if len(script) > 0 {
		drawn.Engines = pages.StartEngines(string(script), c.Contact.Name, c.PublicURL, min(2, runtime.GOMAXPROCS(0)))
	}
	return site, nil
}

// ofContent owns the pictures of blocks, pages and posts.
var ofContent = commands.MadeOf("pictures", "content")

// desksOf are the desks of the office.
func desksOf(s *app.Shop, orders *commands.Orders) staffapi.Desks {
	shop, looks := reads.Shop{DB: s.Pool}, looksOf{feed.ControlOf(s.Store)}
	return staffapi.Desks{
		Payments: &staffapi.Payments{
			Orders: orders, Shop: shop, Past: s.Past, History: reads.NewReader(s.Pool, s.Store, s.Builder), Accounts: s.Accounts, Clock: s.Clock, Log: s.Log,
		},
		Customers: &staffapi.Customers{
			Accounts: s.Customers, Bonuses: &commands.Bonuses{Handler: s.Handler}, Shop: shop, Sheets: reads.NewReader(s.Pool, s.Store, s.Builder),
			Staff: s.Accounts, Looks: looks, Log: s.Log, Past: s.Past,
		},
		Settings: &staffapi.Settings{Settings: s.Settings, Changes: s.Changes, Past: s.Past},
		Changes:  &staffapi.Changes{Changes: s.Changes, Shop: shop, Past: s.Past, History: reads.NewReader(s.Pool, s.Store, s.Builder), Accounts: s.Accounts, Log: s.Log},
		Waiting:  &staffapi.Waiting{Shop: shop, Past: s.Past, Looks: looks},
		DeadMail: &staffapi.DeadMail{Shop: shop, Outbox: s.Outbox, Retried: looks.retried},
		Products: &staffapi.Products{
			Shop: shop, Past: s.Past, Clock: s.Clock, Products: &merchant.Products{Handler: s.Handler, Assortment: shop}, Slug: importer.Slug,
			Picture: func(ctx context.Context, product uuid.UUID, image io.ReadSeeker) (catalog.Picture, error) {
				photo, err := s.Album.AddKept(ctx, product, image)
				return importer.PictureOf(photo), err
			},
		},
		Promocodes: &staffapi.Promocodes{Shop: shop, Past: s.Past, Effects: s.Effects, Clock: s.Clock},
		Presence:   &staffapi.Presence{Accounts: s.Accounts},
		Imports:    &staffapi.Imports{Plan: (&importer.Catalog{Handler: s.Handler, Log: s.Store, Matched: &importer.Matched{DB: s.Pool}}).Plan},
		Content: &staffapi.Content{
			Handler: s.Handler, Settings: s.Settings, Shop: shop, Past: s.Past,
			Picture: func(ctx context.Context, image io.ReadSeeker) (catalog.Picture, error) {
				photo, err := s.Album.AddKept(ctx, ofContent, image)
				return importer.PictureOf(photo), err
			},
		},
		Letters: &staffapi.LetterTexts{Wording: mail.Wording{Log: s.Store}, Past: s.Past, Sample: s.LetterSample},
		Stock: &staffapi.Stock{
			Changes: s.Changes, Ledgers: reads.NewReader(s.Pool, s.Store, s.Builder), Past: s.Past, Accounts: s.Accounts, Log: s.Log,
		},
	}
}

// looksOf keeps looks at persons with the other actions of staff.
type looksOf struct{ actions *feed.Control }

// Looked records that whoever acts under ctx looked at persons, and why.
func (l looksOf) Looked(ctx context.Context, persons []uuid.UUID, why string) error {
	streams := make([]string, len(persons))
	for i, person := range persons {
		streams[i] = customer.Stream(person)
	}
	author := feed.Author{Actor: commands.OriginOf(ctx).Actor, Reason: why}
	return l.actions.Record(feed.WithAuthor(ctx, author), feed.Action{Action: "look", Consumer: "customer", Streams: streams, Events: int64(len(persons))})
}

// retried records that whoever acts under ctx sent a letter again that could not be sent.
func (l looksOf) retried(ctx context.Context, letter uuid.UUID) error {
	author := feed.Author{Actor: commands.OriginOf(ctx).Actor, Reason: "letter " + letter.String()}
	return l.actions.Record(feed.WithAuthor(ctx, author), feed.Action{Action: "retry", Consumer: "mails", Events: 1})
}

// sitemapOf lists the pages, read from a replica if there is one.
func sitemapOf(s *app.Shop) func(context.Context) ([]readapi.SitePage, error) {
	list := readapi.Sitemap{DB: replicas.Of(s.Pool)}
	return func(ctx context.Context) (found []readapi.SitePage, err error) {
		err = s.Replicas.Read(ctx, time.Second, func(ctx context.Context) (err error) {
			found, err = list.Pages(ctx)
			return err
		})
		return found, err
	}
}

// readsOf are what shoppers read from this shop's database, or a replica of it. Searches that find nothing are counted.
func readsOf(s *app.Shop, orders *commands.Orders) edge.Reads {
	reads := shopReads(s, orders, replicas.Of(s.Pool))
	reads.Products.Missed = searches.Missed{DB: s.Pool, Now: s.Clock}.Count
	return reads
}

// shopReads are what shoppers read from a database.
func shopReads(s *app.Shop, orders *commands.Orders, db replicas.DB) edge.Reads {
	shop := readapi.Shop{DB: db, Stated: s.Config.ShopView(orders.Providers.Methods())}
	return edge.Reads{
		Products:   readapi.Products{DB: db, Now: s.Clock, Index: search.New(db)},
		Categories: readapi.Categories{DB: db, Now: s.Clock},
		Brands:     readapi.Brands{DB: db, Now: s.Clock},
		Content:    readapi.Content{DB: db},
		Texts:      readapi.Pages{DB: db},
		Posts:      readapi.Posts{DB: db},
		Rules:      readapi.Rules{DB: db, Now: s.Clock},
		Promocodes: readapi.Promocodes{DB: db, Now: s.Clock},
		Reviews:    readapi.Reviews{DB: db},
		Restock:    readapi.Restock{DB: db, Customer: commands.CustomerOf},
		Bonuses:    readapi.Bonuses{DB: db, Customer: commands.CustomerOf},
		Orders:     readapi.Orders{DB: db, Customer: commands.CustomerOf, Links: s.Links, LinkFor: order.LinkFor, Now: s.Clock},
		Profiles:   readapi.Profiles{DB: db, Customer: commands.CustomerOf, Clock: s.Clock},
		Shop:       shop,
		Documents:  readapi.Documents{DB: db, Shop: shop},
	}
}
