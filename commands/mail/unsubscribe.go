package mail

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"shop/commands/standalone"
	"shop/domain"
)

// Unsubscription serves /unsubscribe/restock/{product}/{customer}. A GET only asks, for programs follow links too; a POST
// unsubscribes, from the page's button or from a mail program's own (RFC 8058). The link is the proof, there is no cookie
// for another site to abuse.
type Unsubscription struct {
	Links Links
	// Shop is the shop's name.
	Shop string
	// Language is that of the person whose request it is, by its context.
	Language func(ctx context.Context) string
	// Unsubscribe takes a customer off a product's waiting list. Who is not on it stays off.
	Unsubscribe func(ctx context.Context, product, customer domain.ID) error
}

//go:embed unsubscribe.html
var unsubscribeHTML string

//go:embed unsubscribe-kk.html
var unsubscribeKazakh string

//go:embed unsubscribe.css
var unsubscribeCSS string

var unsubscribePages = standalone.InBoth("unsubscribe", unsubscribeHTML, unsubscribeKazakh, unsubscribeCSS)

// Page asks (GET).
func (u Unsubscription) Page(w http.ResponseWriter, r *http.Request) error {
	_, _, known := u.place(r)
	return u.write(w, r, known, false)
}

// Confirm unsubscribes (POST).
func (u Unsubscription) Confirm(w http.ResponseWriter, r *http.Request) error {
	product, customer, known := u.place(r)
	if known {
		if err := u.Unsubscribe(r.Context(), product, customer); err != nil {
			return fmt.Errorf("unsubscribe: %w", err)
		}
	}
	return u.write(w, r, known, known)
}

// place is whose place on which list a link names; false when the shop did not give it out.
func (u Unsubscription) place(r *http.Request) (product, customer domain.ID, known bool) {
	product, err := uuid.Parse(r.PathValue("product"))
	if err != nil {
		return product, customer, false
	}
	if customer, err = uuid.Parse(r.PathValue("customer")); err != nil {
		return product, customer, false
	}
	return product, customer, u.Links.Unsubscribes(product, customer, r.URL.Query().Get("key"))
}

func (u Unsubscription) write(w http.ResponseWriter, r *http.Request, known, done bool) error {
	status := http.StatusOK
	if !known {
		status = http.StatusNotFound
	}
	return unsubscribePages.In(u.Language(r.Context())).Write(w, status, struct {
		Shop        string
		Known, Done bool
	}{u.Shop, known, done})
}
