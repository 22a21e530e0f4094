package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/cmd/shop/app"
	"shop/commands"
	"shop/domain"
	"shop/domain/order"
)

var (
	linkToOrder  = regexp.MustCompile(`/order/([0-9a-f-]{36})(\?key=|#)([\w-]{22})`)
	linkToForget = regexp.MustCompile(`/forget/(order|review)/([0-9a-f-]{36})#([\w-]{22})`)
)

// guestOrder is the body of an order of the person whom nobody else is.
func guestOrder(product uuid.UUID, fields map[string]any) map[string]any {
	all := map[string]any{
		"customer_first_name": personFirst, "customer_last_name": personLast, "customer_email": strings.ToUpper(personEmail), "customer_phone": personPhone,
		"customer_street": personStreet, "address_comment": personFirst,
	}
	for name, value := range fields {
		all[name] = value
	}
	return buyer(all, pieces(product, 1))
}

// taken places an order that must be taken: of a guest, or of whom a token signs in.
func (s *served) taken(token string, body map[string]any) (r receipt) {
	s.t.Helper()
	response, answered := s.post("/api/orders/", token, body)
	if response.StatusCode != 201 || json.Unmarshal([]byte(answered), &r) != nil {
		s.t.Fatalf("order: %d %s", response.StatusCode, answered)
	}
	r.position = response.Header.Get("X-Event-Position")
	return r
}

// link waits for a letter of a kind to the person and takes the link that matches.
func (d mailDesk) link(kind string, pattern *regexp.Regexp) []string {
	d.served.t.Helper()
	var found []string
	until(d.served.t, "the letter "+kind+" with a link "+pattern.String(), func() bool {
		for _, text := range d.mailed(kind, strings.ToUpper(personEmail)) {
			found = pattern.FindStringSubmatch(text)
		}
		return found != nil // a letter may be read while it is written
	})
	return found
}

// nowhere waits until no table has the person, and then looks into what else the shop keeps.
func (d mailDesk) nowhere() {
	d.served.t.Helper()
	untilForgotten(d.served.t, d.pool())
	var places []string
	files, err := filepath.Glob(filepath.Join(d.config().DataDir, "mail", "*.eml"))
	if err != nil {
		d.served.t.Fatal(err)
	}
	for _, file := range files {
		if text, theirs := letterTo(d.served.t, file, strings.ToUpper(personEmail)); theirs {
			places = append(places, file+": "+text)
		}
	}
	if places = append(places, found("program's log", d.stderr.String())...); len(places) > 0 {
		d.served.t.Errorf("%q", places)
	}
}

// TestAttackGuestForgottenByTheirLink: a guest gives an order up and has the shop forget who made it, by the link of the
// letter. Nobody else can, and not while the order is under way.
func TestAttackGuestForgottenByTheirLink(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	soap := d.stocked("MK-1", 9000, 10)
	r := d.taken("", guestOrder(soap, map[string]any{"customer_city": personCity, "payment_method": "CARD"}))
	at := "/api/orders/" + r.ID.String()
	found := d.link("order-placed", linkToOrder)
	if found[2] != "#" {
		t.Errorf("the key of the letter's link is sent to servers: %s", found[0])
	}
	if forget := d.link("order-placed", linkToForget); forget[1] != "order" || forget[2] != r.ID.String() || forget[3] != found[3] {
		t.Errorf("the link to be forgotten: %s", forget[0])
	}
	key := []string{"X-Letter-Key", found[3]}
	forget := func(headers ...string) (int, string) { return d.call("POST", at+"/erasure/", nil, headers...) }
	for _, headers := range [][]string{nil, {"X-Letter-Key", "nonsense"}, {"X-Letter-Key", strings.Repeat("A", 22)}} {
		if status, body := forget(headers...); status != 404 {
			t.Errorf("a stranger with %v: %d %s", headers, status, body)
		}
	}
	if status, body := forget(key...); status != 409 || !strings.Contains(body, "order/open") || !strings.Contains(body, "отменён") {
		t.Errorf("while it is open: %d %s", status, body)
	}
	if status, _, body := d.send("GET", at+"/", nil, append(key, "X-Min-Position", r.position)...); status != 200 || !strings.Contains(body, personStreet) || !strings.Contains(body, personCity) {
		t.Errorf("the guest's order: %d %s", status, body)
	}
	if status, body := d.call("POST", at+"/cancellation/", nil, key...); status != 200 {
		t.Fatalf("to give it up: %d %s", status, body)
	}
	if status, body := forget(key...); status != 202 {
		t.Fatalf("to be forgotten: %d %s", status, body)
	}
	d.nowhere()
	until(t, "the link ends", func() bool { status, _ := d.call("GET", at+"/", nil, key...); return status == 404 })
	for _, call := range []string{"cancellation", "payment", "erasure"} {
		if status, body := d.call("POST", at+"/"+call+"/", nil, key...); status != 404 {
			t.Errorf("%s after all: %d %s", call, status, body)
		}
	}
	if show := d.ok("orders", "show", number(r.Number)); !strings.Contains(show, "9") || strings.Contains(show, personFirst) {
		t.Errorf("the order is gone, or shows the person:\n%s", show)
	}
}

// TestAttackGuestForgottenByStaff: staff have the shop forget who made a guest's order and review.
func TestAttackGuestForgottenByStaff(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	soap := d.stocked("MK-1", 9000, 10)
	r := d.taken("", guestOrder(soap, nil))
	if got := d.run("orders", "forget", number(r.Number)); got.status != 1 || !strings.Contains(got.stderr, "completed or cancelled") {
		t.Errorf("an open order: %+v", got)
	}
	for _, verb := range []string{"approve", "process", "complete"} {
		d.ok("orders", verb, number(r.Number))
	}
	d.letters("order-completed", 1)
	review := d.reviewed(soap).String()
	d.ok("reviews", "answer", review, "--text", "Спасибо")
	link := d.link("review-answered", linkToForget)
	if link[1] != "review" || link[2] != review {
		t.Errorf("the link of the letter: %s", link[0])
	}
	pool := d.pool()
	until(t, "the review is there", func() bool {
		var n int
		return pool.QueryRow(t.Context(), "SELECT count(*) FROM reviews.review WHERE content <> ''").Scan(&n) == nil && n == 1
	})
	d.ok("projections", "rebuild", "reviews") // what is kept beside must forget too
	d.ok("projections", "rebuild", "orders")
	if said := d.ok("orders", "forget", number(r.Number)); !strings.Contains(said, "forgotten") {
		t.Error(said)
	}
	if said := d.ok("reviews", "forget", review); !strings.Contains(said, "forgotten") {
		t.Error(said)
	}
	until(t, "the photo's files are gone", func() bool { return d.photoFiles() == 0 })
	d.nowhere()
	if again := d.ok("orders", "forget", number(r.Number)); !strings.Contains(again, "nothing to change") {
		t.Error(again)
	}
	folder := t.TempDir()
	d.ok("events", "export", "--out", filepath.Join(folder, "shop.jsonl"), "--with-keys", filepath.Join(folder, "shop.keys"))
	if all, err := os.ReadFile(filepath.Join(folder, "shop.jsonl")); err != nil || strings.Contains(string(all), personReview) {
		t.Errorf("the export has the review: %v", err)
	}
	if stream := d.ok("events", "stream", "review-"+review, "--personal"); strings.Contains(stream, personReview) {
		t.Errorf("the log reads:\n%s", stream)
	}
	if _, page := d.get("/api/products/mk-1/"); strings.Contains(page, personReview) || !strings.Contains(page, `"reviews_count":1`) {
		t.Errorf("the product's page: %s", page)
	}
}

// TestAttackGuestReviewForgottenByItsLink: a guest has a review forgotten by the link of the letter that answers it.
func TestAttackGuestReviewForgottenByItsLink(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	soap := d.stocked("MK-1", 9000, 10)
	review := d.reviewed(soap).String()
	d.ok("reviews", "answer", review, "--text", "Спасибо")
	found := d.link("review-answered", linkToForget)
	at := "/api/reviews/" + review + "/erasure/"
	for _, headers := range [][]string{nil, {"X-Letter-Key", "nonsense"}} {
		if status, body := d.call("POST", at, nil, headers...); status != 404 {
			t.Errorf("a stranger with %v: %d %s", headers, status, body)
		}
	}
	if status, body := d.call("POST", at, nil, "X-Letter-Key", found[3]); status != 202 {
		t.Fatalf("to be forgotten: %d %s", status, body)
	}
	d.nowhere()
	until(t, "the photo's files are gone", func() bool { return d.photoFiles() == 0 })
	if status, body := d.call("POST", at, nil, "X-Letter-Key", found[3]); status != 202 {
		t.Errorf("once more: %d %s", status, body)
	}
}

// guestPast is an order that the person made as a guest some time ago, and that was completed at once.
func (p program) guestPast(ago time.Duration, product uuid.UUID) (made commands.Receipt) {
	p.t.Helper()
	p.past(ago, func(ctx context.Context, s *app.Shop, orders *commands.Orders) {
		var err error
		made, _, err = orders.Checkout(ctx, commands.Checkout{
			Lines: []commands.Line{{ProductID: product, Amount: 1}}, DeliveryType: domain.Delivery, PaymentMethod: domain.Cash,
			Contact: order.Contact{FirstName: personFirst, LastName: personLast, Email: personEmail, Phone: personPhone},
			Address: order.Address{City: "Алматы", Street: personStreet, House: "1"},
		})
		if err != nil {
			p.t.Fatal(err)
		}
		for _, step := range []func() error{
			func() error { _, err := orders.Approve(ctx, made.ID); return err },
			func() error { _, err := orders.Process(ctx, made.ID); return err },
			func() error { _, err := orders.Complete(ctx, made.ID); return err },
		} {
			if err := step(); err != nil {
				p.t.Fatal(err)
			}
		}
	})
	return made
}

// TestAttackGuestLinkEnds: whoever finds a letter years later sees and changes nothing.
func TestAttackGuestLinkEnds(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	soap := d.stocked("MK-1", 9000, 10)
	pool := d.pool()
	day := 24 * time.Hour
	for _, c := range []struct {
		ago  time.Duration
		want int
	}{{89 * day, 200}, {91 * day, 404}} {
		made := d.guestPast(c.ago, soap)
		until(t, "the read model has the completed order", func() bool {
			var is bool
			return pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM orders.orders WHERE id = $1 AND status = 'COMPLETED')", made.ID).Scan(&is) == nil && is
		})
		var key string
		d.past(0, func(_ context.Context, s *app.Shop, _ *commands.Orders) { key = s.Links.OrderKey(made.ID) })
		// By the header, and by the address that letters had before.
		for _, how := range []struct {
			query   string
			headers []string
		}{{"", []string{"X-Letter-Key", key}}, {"?key=" + key, nil}} {
			if status, body := d.call("GET", "/api/orders/"+made.ID.String()+"/"+how.query, nil, how.headers...); status != c.want {
				t.Errorf("%s after completion by %v: %d %s, want %d", c.ago, how, status, body, c.want)
			}
			if status, body := d.call("POST", "/api/orders/"+made.ID.String()+"/cancellation/"+how.query, nil, how.headers...); (status == 404) != (c.want == 404) {
				t.Errorf("to cancel %s after completion: %d %s", c.ago, status, body)
			}
		}
	}
}

// TestAttackGuestKeptForEver: who ordered as a guest is forgotten by itself, months after the order was completed.
func TestAttackGuestKeptForEver(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_MAIL_RATE=0")
	soap := p.stocked("MK-1", 9000, 10)
	month := 31 * 24 * time.Hour
	old, late := p.guestPast(25*month, soap), p.guestPast(22*month, soap)
	p.ok("orders", "list") // the read model knows them when the program begins to look for such orders
	d := mailDesk{p, p.serve()}
	pool := p.pool()
	until(t, "the old order is nobody's", func() bool {
		var n int
		return pool.QueryRow(t.Context(), "SELECT count(*) FROM orders.orders WHERE customer_email = '' AND id = $1", old.ID).Scan(&n) == nil && n == 1
	})
	if stream := d.ok("events", "stream", "order-"+old.ID.String(), "--personal"); strings.Contains(stream, personFirst) || !strings.Contains(stream, "order.forgotten") {
		t.Errorf("the log reads:\n%s", stream)
	}
	if stream := d.ok("events", "stream", "order-"+late.ID.String(), "--personal"); !strings.Contains(stream, personFirst) || strings.Contains(stream, "order.forgotten") {
		t.Errorf("an order of less than 24 months ago was forgotten:\n%s", stream)
	}
}
