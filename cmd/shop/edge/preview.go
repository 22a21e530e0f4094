package edge

import (
	"context"
	"errors"
	"net/http"

	"shop/cmd/shop/pages"
	"shop/commands/staffapi"
	"shop/eventstore"
	"shop/readapi"
	"shop/readapi/endpoint"
	"shop/readapi/replicas"
)

// Preview draws pages of the storefront over events that are in no log.
type Preview struct {
	Pages *pages.Pages
	// With lets see read a database as it would be with the events; touched are the keys of the rows that they touch, by table.
	With func(ctx context.Context, events []eventstore.Event, see func(ctx context.Context, db replicas.DB, touched map[string][]string) error) error
	// Reads are what shoppers read in a database.
	Reads func(db replicas.DB) Reads
}

// errOutside: the address is no page.
var errOutside = endpoint.WrongField("path", "Must be the path of a page of the storefront, such as /product/cream.")

// Draw is the page at an address as a shopper would get it, and the foreign hosts of the pictures that there would be.
func (p *Preview) Draw(ctx context.Context, events []eventstore.Event, language, address string) (drawn pages.Previewed, hosts []string, err error) {
	err = p.With(ctx, events, func(ctx context.Context, db replicas.DB, _ map[string][]string) error {
		shop := &Site{Reads: p.Reads(db)}
		if drawn, err = p.Pages.Preview(ctx, shop.PageReads(), language, address); err != nil {
			return err
		}
		hosts, _, err = readapi.PictureHosts{DB: db}.List(ctx)
		return err
	})
	if errors.Is(err, pages.ErrOutside) {
		err = errOutside
	}
	return drawn, hosts, err
}

// Show answers with a page of a preview.
func (p *Preview) Show(w http.ResponseWriter, r *http.Request, events []eventstore.Event, page staffapi.PreviewPage) error {
	drawn, hosts, err := p.Draw(r.Context(), events, page.Language, page.Path)
	if err != nil {
		return err
	}
	to := pages.PreviewLink(page.Base, page.Language)
	if drawn.Moved != "" {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Location", to(drawn.Moved))
		w.WriteHeader(http.StatusFound)
		return nil
	}
	drawn.HTML = pages.Still(drawn.HTML, to)
	p.Pages.WritePreview(w, drawn, hosts)
	return nil
}

// Touched are the pages that would show something of the events.
func (p *Preview) Touched(ctx context.Context, events []eventstore.Event) (found []readapi.TouchedPage, err error) {
	err = p.With(ctx, events, func(ctx context.Context, db replicas.DB, touched map[string][]string) error {
		found, err = readapi.TouchedPages{DB: db}.List(ctx, touched)
		return err
	})
	return found, err
}
