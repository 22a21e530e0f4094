package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/projections/dataset"
	"shop/readapi/reports"
)

// audience says who may see what a route answers. Every route has one, so that nobody adds a route without asking.
type audience int

const (
	// everyone sees the same, whoever asks.
	everyone audience = iota + 1
	// staffRoute is for staff: 401 or 403 for all others, before anything is looked at.
	staffRoute
	// customerRoute is for who is signed in, and shows them what is theirs: 401 without a token, 404 for what is another's.
	customerRoute
	// holder is for whoever was given the unguessable address, and shows no person even so.
	holder
)

// audiences are all routes. HEAD is as GET.
var audiences = map[string]audience{
	"GET /api/openapi.json":                                       everyone,
	"GET /api/products":                                           everyone,
	"GET /api/products/popular":                                   everyone,
	"GET /api/products/{id}":                                      everyone,
	"GET /api/products/{id}/stock":                                everyone,
	"GET /api/products/{id}/similar":                              everyone,
	"GET /api/categories":                                         everyone,
	"GET /api/categories/{id}":                                    everyone,
	"GET /api/brands":                                             everyone,
	"GET /api/brands/{id}":                                        everyone,
	"GET /api/geonames":                                           everyone,
	"GET /api/content/find/{name}":                                everyone,
	"GET /api/documents/{name}":                                   everyone,
	"GET /documents/{id}":                                         everyone,
	"GET /documents/{name}.pdf":                                   everyone,
	"GET /documents/{name}/{version}.pdf":                         everyone,
	"GET /privacy.pdf":                                            everyone,
	"GET /offer.pdf":                                              everyone,
	"GET /api/content/home":                                       everyone,
	"GET /api/content/pages/{name}":                               everyone,
	"GET /api/blog/posts":                                         everyone,
	"GET /api/blog/posts/{id}":                                    everyone,
	"GET /api/rules":                                              everyone,
	"GET /api/shop":                                               everyone,
	"GET /api/promocodes/{code}":                                  everyone,
	"POST /api/orders/calculate-price":                            everyone,
	"POST /api/orders":                                            everyone,
	"POST /api/payments/{provider}":                               everyone,
	"POST /api/staff/session":                                     everyone,
	"POST /api/staff/password":                                    everyone,
	"DELETE /api/staff/session":                                   staffRoute,
	"GET /api/staff/me":                                           staffRoute,
	"POST /api/token/passkey/options":                             everyone,
	"POST /api/token/passkey":                                     everyone,
	"GET /api/auth/profile/passkeys":                              customerRoute,
	"POST /api/auth/profile/passkeys":                             customerRoute,
	"POST /api/auth/profile/passkeys/options":                     customerRoute,
	"DELETE /api/auth/profile/passkeys/{id}":                      customerRoute,
	"POST /api/staff/session/passkey/options":                     everyone,
	"POST /api/staff/session/passkey":                             everyone,
	"GET /api/staff/me/passkeys":                                  staffRoute,
	"POST /api/staff/me/passkeys":                                 staffRoute,
	"POST /api/staff/me/passkeys/options":                         staffRoute,
	"DELETE /api/staff/me/passkeys/{id}":                          staffRoute,
	"POST /api/staff/me/step-up/passkey/options":                  staffRoute,
	"POST /api/staff/me/step-up/passkey":                          staffRoute,
	"GET /api/staff/me/sessions":                                  staffRoute,
	"DELETE /api/staff/me/sessions":                               staffRoute,
	"DELETE /api/staff/me/sessions/{id}":                          staffRoute,
	"GET /api/staff/me/step-up":                                   staffRoute,
	"POST /api/staff/me/step-up":                                  staffRoute,
	"POST /api/staff/me/password":                                 staffRoute,
	"POST /api/staff/me/recovery-codes":                           staffRoute,
	"POST /api/staff/me/authenticator":                            staffRoute,
	"POST /api/staff/me/authenticator/confirmation":               staffRoute,
	"GET /api/staff/accounts":                                     staffRoute,
	"POST /api/staff/accounts":                                    staffRoute,
	"POST /api/staff/accounts/{id}/invitation":                    staffRoute,
	"POST /api/staff/accounts/{id}/reset":                         staffRoute,
	"PUT /api/staff/accounts/{id}/role":                           staffRoute,
	"PUT /api/staff/accounts/{id}/access":                         staffRoute,
	"DELETE /api/staff/accounts/{id}/attempts":                    staffRoute,
	"DELETE /api/staff/accounts/{id}/sessions":                    staffRoute,
	"DELETE /api/staff/customers/{id}/sessions":                   staffRoute,
	"POST /api/staff/customers/search":                            staffRoute,
	"GET /api/staff/customers/{id}":                               staffRoute,
	"GET /api/staff/promocodes":                                   staffRoute,
	"GET /api/staff/promocodes/{code}":                            staffRoute,
	"POST /api/staff/promocodes/series":                           staffRoute,
	"POST /api/staff/promocodes/effect":                           staffRoute,
	"GET /api/staff/customers/groups":                             staffRoute,
	"POST /api/staff/customers/{id}/groups":                       staffRoute,
	"POST /api/staff/customers/{id}/notes":                        staffRoute,
	"POST /api/staff/customers/{id}/bonuses":                      staffRoute,
	"POST /api/staff/customers/{id}/export":                       staffRoute,
	"POST /api/staff/customers/{id}/erasure":                      staffRoute,
	"POST /api/staff/customers/{id}/erasure/confirmation":         staffRoute,
	"POST /api/staff/customers/{id}/erasure/withdrawal":           staffRoute,
	"GET /api/staff/payments":                                     staffRoute,
	"POST /api/staff/payments/reconciliation":                     staffRoute,
	"GET /api/staff/payments/refunds":                             staffRoute,
	"POST /api/staff/payments/refunds/attempts":                   staffRoute,
	"POST /api/staff/payments/refunds/settlements":                staffRoute,
	"POST /api/staff/payments/{payment}/mark":                     staffRoute,
	"POST /api/staff/payments/{payment}/question":                 staffRoute,
	"POST /api/staff/products/composition":                        staffRoute,
	"POST /api/staff/presence":                                    staffRoute,
	"DELETE /api/staff/presence":                                  staffRoute,
	"GET /api/staff/waiting":                                      staffRoute,
	"GET /api/staff/waiting/{product}":                            staffRoute,
	"GET /api/staff/letters/dead":                                 staffRoute,
	"POST /api/staff/letters/{letter}/retry":                      staffRoute,
	"GET /api/staff/products":                                     staffRoute,
	"GET /api/staff/products/groups":                              staffRoute,
	"GET /api/staff/changes":                                      staffRoute,
	"GET /api/staff/history":                                      staffRoute,
	"GET /api/staff/changes/file":                                 staffRoute,
	"GET /api/staff/changes/{id}":                                 staffRoute,
	"POST /api/staff/changes":                                     staffRoute,
	"POST /api/staff/changes/dry-run":                             staffRoute,
	"POST /api/staff/changes/effect":                              staffRoute,
	"GET /api/staff/changes/{id}/effect":                          staffRoute,
	"POST /api/staff/changes/{id}/effect":                         staffRoute,
	"GET /api/staff/changes/{id}/pages":                           staffRoute,
	"GET /api/staff/changes/{id}/preview":                         staffRoute,
	"POST /api/staff/changes/{id}/undo":                           staffRoute,
	"POST /api/staff/changes/{id}/undo/dry-run":                   staffRoute,
	"POST /api/staff/changes/{id}/approve":                        staffRoute,
	"POST /api/staff/changes/{id}/override":                       staffRoute,
	"POST /api/staff/changes/{id}/reject":                         staffRoute,
	"POST /api/staff/changes/{id}/cancel":                         staffRoute,
	"POST /api/staff/changes/{id}/apply":                          staffRoute,
	"POST /api/staff/products":                                    staffRoute,
	"GET /api/staff/catalog/{kind}":                               staffRoute,
	"GET /api/staff/products/{article}":                           staffRoute,
	"POST /api/staff/products/{article}/pictures":                 staffRoute,
	"POST /api/staff/stock/receipts":                              staffRoute,
	"GET /api/staff/stock/{product}/ledger":                       staffRoute,
	"GET /api/analytics/baskets/{id}":                             staffRoute,
	"GET /api/analytics/orders/{number}":                          staffRoute,
	"GET /api/analytics/products/{id}/prices":                     staffRoute,
	"GET /api/analytics/products/{id}/stock":                      staffRoute,
	"GET /api/staff/orders/{order}/letters/{version}":             staffRoute,
	"GET /api/staff/today":                                        staffRoute,
	"GET /api/staff/notices":                                      staffRoute,
	"PUT /api/staff/notices":                                      staffRoute,
	"POST /api/staff/notices/trial":                               staffRoute,
	"POST /api/staff/notices/browsers":                            staffRoute,
	"DELETE /api/staff/notices/browsers/{id}":                     staffRoute,
	"GET /api/staff/notices/webhooks":                             staffRoute,
	"POST /api/staff/notices/webhooks":                            staffRoute,
	"PUT /api/staff/notices/webhooks/{id}":                        staffRoute,
	"DELETE /api/staff/notices/webhooks/{id}":                     staffRoute,
	"POST /api/staff/notices/webhooks/{id}/trial":                 staffRoute,
	"POST /api/staff/phone-orders":                                staffRoute,
	"POST /api/staff/phone-orders/price":                          staffRoute,
	"GET /api/staff/live":                                         staffRoute,
	"POST /api/staff/orders/search":                               staffRoute,
	"POST /api/staff/orders/actions":                              staffRoute,
	"GET /api/staff/orders/{order}":                               staffRoute,
	"POST /api/staff/orders/{order}/notes":                        staffRoute,
	"PUT /api/staff/orders/{order}/tags":                          staffRoute,
	"PUT /api/staff/orders/{order}/assignee":                      staffRoute,
	"POST /api/staff/orders/{order}/packing":                      staffRoute,
	"POST /api/staff/orders/{order}/hand-over":                    staffRoute,
	"POST /api/staff/orders/{order}/delivery":                     staffRoute,
	"POST /api/staff/orders/{order}/delivery-failure":             staffRoute,
	"PUT /api/staff/orders/{order}/courier":                       staffRoute,
	"GET /api/staff/packing":                                      staffRoute,
	"GET /api/staff/packing/documents":                            staffRoute,
	"GET /api/staff/deliveries":                                   staffRoute,
	"GET /api/staff/stops":                                        staffRoute,
	"POST /api/staff/stops/{order}/delivery":                      staffRoute,
	"POST /api/staff/stops/{order}/delivery-failure":              staffRoute,
	"POST /api/staff/stops/{order}/photos":                        staffRoute,
	"GET /api/staff/orders/{order}/photos/{photo}":                staffRoute,
	"POST /api/staff/orders/{order}/photos/removal":               staffRoute,
	"POST /api/staff/shipments":                                   staffRoute,
	"PUT /api/staff/rounds/{courier}/{day}/stops":                 staffRoute,
	"POST /api/staff/rounds/{courier}/{day}/cash":                 staffRoute,
	"POST /api/staff/rounds/{courier}/{day}/closure":              staffRoute,
	"GET /api/staff/rounds":                                       staffRoute,
	"PUT /api/staff/products/{product}/shelf":                     staffRoute,
	"POST /api/staff/orders/{order}/payments":                     staffRoute,
	"PUT /api/staff/orders/{order}/lines":                         staffRoute,
	"POST /api/staff/orders/{order}/lines/preview":                staffRoute,
	"PUT /api/staff/orders/{order}/address":                       staffRoute,
	"POST /api/staff/orders/{order}/returns":                      staffRoute,
	"POST /api/staff/orders/{order}/returns/decline":              staffRoute,
	"POST /api/staff/orders/{order}/payments/confirmation":        staffRoute,
	"POST /api/staff/orders/{order}/payments/withdrawal":          staffRoute,
	"POST /api/staff/orders/{order}/payments/refund":              staffRoute,
	"POST /api/staff/orders/{order}/payments/refund/confirmation": staffRoute,
	"POST /api/staff/orders/{order}/payments/refund/withdrawal":   staffRoute,
	"GET /api/analytics/rules":                                    staffRoute,
	"GET /api/analytics/datasets":                                 staffRoute,
	"GET /api/analytics/datasets/{name}":                          staffRoute,
	"GET /api/analytics/replays":                                  staffRoute,
	"POST /api/analytics/replays":                                 staffRoute,
	"GET /api/analytics/replays/{id}":                             staffRoute,
	"DELETE /api/analytics/replays/{id}":                          staffRoute,
	"GET /api/analytics/reports":                                  staffRoute,
	"GET /api/analytics/reports/{name}":                           staffRoute,
	"GET /api/ops/actions":                                        staffRoute,
	"GET /api/ops/builds":                                         staffRoute,
	"GET /api/ops/builds/{id}":                                    staffRoute,
	"POST /api/ops/builds/{id}/cancel":                            staffRoute,
	"POST /api/ops/builds/{id}/pause":                             staffRoute,
	"POST /api/ops/builds/{id}/resume":                            staffRoute,
	"POST /api/ops/builds/{id}/swap":                              staffRoute,
	"GET /api/ops/deadletters":                                    staffRoute,
	"GET /api/ops/deadletters/history":                            staffRoute,
	"POST /api/ops/deadletters/{projection}/dry-run":              staffRoute,
	"POST /api/ops/deadletters/{projection}/retry":                staffRoute,
	"GET /api/ops/deadletters/{projection}/{position}":            staffRoute,
	"POST /api/ops/deadletters/{projection}/{position}/skip":      staffRoute,
	"GET /api/ops/events":                                         staffRoute,
	"GET /api/ops/health":                                         staffRoute,
	"GET /api/ops/live":                                           staffRoute,
	"GET /api/ops/openapi.json":                                   staffRoute,
	"GET /api/ops/projections":                                    staffRoute,
	"POST /api/ops/projections/{name}/builds":                     staffRoute,
	"POST /api/ops/projections/{name}/pause":                      staffRoute,
	"POST /api/ops/projections/{name}/resume":                     staffRoute,
	"POST /api/ops/projections/{name}/rollback":                   staffRoute,
	"GET /api/ops/rates":                                          staffRoute,
	"GET /api/ops/security":                                       staffRoute,
	"GET /api/ops/security/file":                                  staffRoute,
	"GET /api/orders":                                             customerRoute,
	"GET /api/orders/{id}":                                        customerRoute,
	"POST /api/token":                                             everyone,
	"DELETE /api/token":                                           customerRoute,
	"POST /api/auth/register":                                     everyone,
	"GET /api/auth/profile":                                       customerRoute,
	"PATCH /api/auth/profile":                                     customerRoute,
	"DELETE /api/auth/profile":                                    customerRoute,
	"GET /api/auth/profile/export":                                customerRoute,
	"POST /api/auth/profile/photo":                                customerRoute,
	"DELETE /api/auth/profile/photo":                              customerRoute,
	"POST /api/auth/profile/email":                                customerRoute,
	"POST /api/auth/profile/password":                             customerRoute,
	"GET /api/auth/profile/sessions":                              customerRoute,
	"DELETE /api/auth/profile/sessions":                           customerRoute,
	"DELETE /api/auth/profile/sessions/{id}":                      customerRoute,
	"POST /api/auth/email/verify":                                 everyone,
	"POST /api/auth/email/cancel":                                 everyone,
	"POST /api/auth/email/take-back":                              everyone,
	"POST /api/auth/profile/password-reset/request":               everyone,
	"POST /api/auth/profile/password-reset/validate-code":         everyone,
	"POST /api/auth/profile/password-reset":                       everyone,
	"POST /api/auth/profile/password-reset/by-link":               everyone,
	"GET /pay/sandbox/{payment}":                                  holder,
	"POST /pay/sandbox/{payment}":                                 holder,
	"GET /":                                                       everyone,
	"GET /about":                                                  everyone,
	"GET /brands":                                                 everyone,
	"GET /brands/{id}":                                            everyone,
	"GET /categories":                                             everyone,
	"GET /categories/{id}":                                        everyone,
	"GET /category/{id}":                                          everyone,
	"GET /product/{id}":                                           everyone,
	"GET /dostavka-i-skidki":                                      everyone,
	"GET /news":                                                   everyone,
	"GET /news/{id}":                                              everyone,
	"GET /basket":                                                 everyone,
	"GET /checkout":                                               everyone,
	"GET /login":                                                  everyone,
	"GET /registration":                                           everyone,
	"GET /reset-password":                                         everyone,
	"GET /verify-email":                                           everyone,
	"GET /cancel-email":                                           everyone,
	"GET /take-back-email":                                        everyone,
	"GET /new-password":                                           everyone,
	"GET /account/info":                                           everyone,
	"GET /account/bonuses":                                        everyone,
	"GET /account/orders":                                         everyone,
	"GET /account/waiting":                                        everyone,
	"GET /account/security":                                       everyone,
	"GET /account/order/{id}":                                     everyone,
	"GET /order/{id}":                                             everyone,
	"GET /shell":                                                  everyone,
	"GET /admin":                                                  everyone,
	"GET /admin/*":                                                everyone,
	"GET /analytics":                                              everyone,
	"GET /analytics/*":                                            everyone,
	"GET /ops":                                                    everyone,
	"GET /ops/*":                                                  everyone,
	"GET /unsubscribe/restock/{product}/{customer}":               holder,
	"POST /unsubscribe/restock/{product}/{customer}":              holder,
	"GET /api/products/suggest":                                   everyone,
	"GET /api/products/{id}/reviews":                              everyone,
	"POST /api/products/review":                                   everyone,
	"GET /media/{name}":                                           everyone,
	"GET /share/*":                                                everyone,
	"POST /api/payments/{provider}/{kind}":                        everyone,
	"POST /api/orders/{id}/cancellation":                          customerRoute,
	"POST /api/orders/{id}/erasure":                               customerRoute,
	"POST /api/reviews/{id}/erasure":                              customerRoute,
	"GET /forget/order/{id}":                                      everyone,
	"GET /forget/review/{id}":                                     everyone,
	"POST /api/orders/{id}/payment":                               customerRoute,
	"POST /api/orders/{id}/return":                                customerRoute,
	"GET /api/auth/profile/bonuses":                               customerRoute,
	"GET /api/subscriptions/products":                             customerRoute,
	"POST /api/subscriptions/products/{id}":                       customerRoute,
	"DELETE /api/subscriptions/products/{id}":                     customerRoute,
	"GET /pay/{payment}":                                          holder,
	"POST /api/staff/orders/{order}/approval":                     staffRoute,
	"POST /api/staff/orders/cancellation":                         staffRoute,
	"POST /api/staff/orders/{order}/cancellation":                 staffRoute,
	"POST /api/staff/orders/{order}/erasure":                      staffRoute,
	"POST /api/staff/orders/{order}/completion":                   staffRoute,
	"POST /api/staff/orders/{order}/processing":                   staffRoute,
	"POST /api/staff/orders/{order}/refund":                       staffRoute,
	"GET /api/staff/reviews/photos/{name}":                        staffRoute,
	"GET /api/staff/reviews/templates":                            staffRoute,
	"PUT /api/staff/reviews/templates":                            staffRoute,
	"GET /api/staff/content":                                      staffRoute,
	"POST /api/staff/content/preview":                             staffRoute,
	"GET /api/staff/letters/texts":                                staffRoute,
	"POST /api/staff/letters/texts/sample":                        staffRoute,
	"GET /api/staff/letters/texts/sheet":                          staffRoute,
	"POST /api/staff/content/pictures":                            staffRoute,
	"GET /api/staff/posts":                                        staffRoute,
	"GET /api/staff/posts/{id}":                                   staffRoute,
	"POST /api/staff/imports/plan":                                staffRoute,
	"GET /api/staff/settings":                                     staffRoute,
	"POST /api/staff/settings":                                    staffRoute,
	"GET /api/staff/reviews":                                      staffRoute,
	"POST /api/staff/reviews/{id}/answer":                         staffRoute,
	"POST /api/staff/reviews/{id}/hide":                           staffRoute,
	"POST /api/staff/reviews/{id}/remove-photos":                  staffRoute,
	"POST /api/staff/reviews/{id}/show":                           staffRoute,
	"POST /api/staff/reviews/{id}/erasure":                        staffRoute,
	"GET /feeds/yml.xml":                                          everyone,
	"GET /feeds/google.xml":                                       everyone,
	"GET /robots.txt":                                             everyone,
	"GET /sitemap.xml":                                            everyone,
	"GET /sitemap-{part}.xml":                                     everyone,
	"POST /reports/csp":                                           everyone,
	"GET /healthz":                                                everyone,
	"GET /readyz":                                                 everyone,
}

// TestNobodySeesWhatIsAnothers asks every route for everything that has an id, as nobody, as another visitor and with
// made-up credentials: no answer holds anything of the person who ordered, and nothing of theirs changes.
func TestNobodySeesWhatIsAnothers(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0", "SHOP_SIGNIN_RATE=0") // it is not for limits that nothing is told
	cream := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	placed := s.placed(cream, 1, "CARD")

	shop, err := app.OpenShop(t.Context(), p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer shop.Close(t.Context())
	history := func() []eventstore.Event {
		events, err := shop.Store.Stream(t.Context(), order.Stream(placed.ID), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
	before := history()
	person := before[0].Data.(order.Placed).PersonID
	secrets := []string{"Айгерим", "Сатпаева", "aigerim@example.com", "7011234567", "Абая"}
	if text := fmt.Sprintf("%+v", before[0].Data); slices.ContainsFunc(secrets, func(s string) bool { return !strings.Contains(text, s) }) {
		t.Fatalf("the order lacks what is looked for: %s", text)
	}
	ids := []string{
		placed.ID.String(), fmt.Sprint(placed.Number), person.String(), strings.TrimPrefix(placed.path(), "/pay/sandbox/"),
		"aigerim@example.com", order.Stream(placed.ID), "..%2f" + placed.ID.String(), uuid.NewString(),
	}

	// Another visitor has a basket and made up the rest.
	_, header, _ := s.send(http.MethodPost, "/api/orders/calculate-price/", strings.NewReader(fmt.Sprintf(`{"products":[{"product":%q,"amount":1}]}`, cream)))
	other := strings.Split(header.Get("Set-Cookie"), ";")[0]
	if other == "" {
		t.Fatal("the other visitor has no basket")
	}
	askers := map[string][]string{
		"nobody":               nil,
		"another visitor":      {"Cookie", other},
		"made-up credentials":  {"Authorization", "Bearer " + strings.Repeat("a", 43), "Cookie", "staff=" + strings.Repeat("a", 43) + "; basket=" + placed.ID.String()},
		"the order as a token": {"Authorization", "Bearer " + placed.ID.String(), "Cookie", "staff=" + placed.ID.String()},
	}

	parameter := regexp.MustCompile(`\{[^}]+\}`)
	seen := map[string]bool{}
	chi.Walk(testSite(t).(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method == http.MethodHead {
			return nil
		}
		name := method + " " + route
		seen[name] = true
		who, known := audiences[name]
		if !known {
			t.Errorf("%s has no audience: who may see what it answers?", name)
			who = holder
		}
		paths := []string{strings.ReplaceAll(route, "*", "x")}
		if parameter.MatchString(route) {
			paths = nil
			for _, id := range ids {
				paths = append(paths, parameter.ReplaceAllLiteralString(strings.ReplaceAll(route, "*", id), id))
			}
		}
		for asker, credentials := range askers {
			for _, path := range paths {
				var body io.Reader
				if method != http.MethodGet {
					body = strings.NewReader("{}")
				}
				status, header, answer := s.send(method, path, body, credentials...)
				for _, secret := range secrets {
					if strings.Contains(answer, secret) || strings.Contains(fmt.Sprint(header), secret) {
						t.Errorf("%s %s tells %s %q", method, path, asker, secret)
					}
				}
				switch {
				case status >= 500:
					t.Errorf("%s %s for %s: %d %s", method, path, asker, status, answer)
				case who == staffRoute && status != 401 && status != 403,
					who == customerRoute && status != 401 && status != 404:
					t.Errorf("%s %s lets %s in: %d %s", method, path, asker, status, answer)
				}
			}
		}
		return nil
	})
	for name := range audiences {
		if !seen[name] {
			t.Errorf("%s has an audience and is no route", name)
		}
	}
	if after := history(); len(after) != len(before) {
		t.Errorf("somebody changed the order: %v", after[len(before):])
	}
}

// TestNoCustomerSeesWhatIsAnothers is the same for somebody who has an account: with their own token they try every id of
// another customer, on every route that takes one, and read what is theirs.
func TestNoCustomerSeesWhatIsAnothers(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0", "SHOP_SIGNIN_RATE=0", "SHOP_REVIEWS_AN_HOUR=0")
	cream, gone := p.stocked("MK-1", 9000, 10), p.stocked("MK-2", 9000, 1)
	p.ok("stock", "adjust", "--article", "MK-2", "--on-hand", "0")
	s := p.serve()
	anna, boris := s.register("anna@example.kz"), s.register("boris@example.kz")

	placed := s.orderOf(cream, anna...)
	if status, _, body := s.send("POST", "/api/subscriptions/products/"+gone.String()+"/", nil, anna...); status != 201 {
		t.Fatalf("anna waits: %d %s", status, body)
	}
	status, position, body := s.review(cream, 400, anna...)
	var posted struct{ ID uuid.UUID }
	if err := json.Unmarshal([]byte(body), &posted); err != nil || status != 201 {
		t.Fatalf("anna's review: %d %s", status, body)
	}
	_, _, page := s.send("GET", "/api/products/mk-1/reviews/", nil, "X-Min-Position", position)
	photo := regexp.MustCompile(`/media/([0-9a-f]{32})`).FindStringSubmatch(page)
	if photo == nil {
		t.Fatalf("the review has no photo: %s", page)
	}
	p.ok("reviews", "hide", posted.ID.String(), "--reason", "проверка")
	portrait := regexp.MustCompile(`[0-9a-f]{32}`).FindString(s.portrait(anna, 100))
	// An export tells all of anna; every call of boris must leave it as it is.
	exported := func() (id uuid.UUID, events string) {
		t.Helper()
		var all struct {
			Profile struct{ ID uuid.UUID }
			Events  json.RawMessage
		}
		status, _, body := s.send("GET", "/api/auth/profile/export/", nil, anna...)
		if err := json.Unmarshal([]byte(body), &all); err != nil || status != 200 {
			t.Fatalf("anna's export: %d %s", status, body)
		}
		return all.Profile.ID, string(all.Events)
	}
	until(t, "anna's export has it all", func() bool {
		_, all := exported()
		return strings.Contains(all, "order-"+placed.ID.String()) && strings.Contains(all, "review.hidden") && strings.Contains(all, "restock-"+gone.String())
	})
	person, before := exported()

	secrets := []string{"anna@example.kz", personEmail, personFirst, personLast, personPhone[1:], personStreet, portrait, photo[1]}
	ids := []string{placed.ID.String(), fmt.Sprint(placed.Number), person.String(), posted.ID.String(), gone.String(), cream.String(), order.Stream(placed.ID), "anna@example.kz"}
	parameter := regexp.MustCompile(`\{[^}]+\}`)
	chi.Walk(testSite(t).(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		who := audiences[method+" "+route]
		paths := []string{route}
		switch {
		case parameter.MatchString(route):
			paths = nil
			for _, id := range ids {
				paths = append(paths, parameter.ReplaceAllLiteralString(route, id))
			}
		case method != http.MethodGet:
			return nil // it names nobody but boris
		}
		for _, path := range paths {
			var body io.Reader
			if method == http.MethodPost {
				body = strings.NewReader("{}")
			}
			status, header, answer := s.send(method, path, body, append([]string{"Content-Type", "application/json"}, boris...)...)
			for _, secret := range secrets {
				if strings.Contains(answer, secret) || strings.Contains(fmt.Sprint(header), secret) {
					t.Errorf("%s %s tells boris %q", method, path, secret)
				}
			}
			switch {
			case status >= 500:
				t.Errorf("%s %s for boris: %d %s", method, path, status, answer)
			case who == staffRoute && status != 401 && status != 403,
				strings.HasPrefix(route, "/api/orders/{id}") && status != 404:
				t.Errorf("%s %s lets boris in: %d %s", method, path, status, answer)
			}
		}
		return nil
	})
	if _, after := exported(); after != before {
		t.Errorf("boris changed what is anna's:\n%s\nwas\n%s", after, before)
	}
}

// TestAnalystsSeeNobody asks everything that staff may read for a person who registered, ordered, waits for a product and
// wrote a review: an analyst is told of what happened, never of whom. That a manager finds each of these texts shows
// that they were looked for in the right places.
func TestAnalystsSeeNobody(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	p := d.program("SHOP_ACCOUNT_RATE=0")
	cream, gone := p.stocked("MK-1", 9_000, 10), p.stocked("MK-2", 9_000, 1)
	p.ok("stock", "adjust", "--article", "MK-2", "--on-hand", "0")
	s := p.serve()
	anna := s.register("anna@example.kz")
	placed := s.orderOf(cream, anna...)
	if status, _, body := s.send("POST", "/api/subscriptions/products/"+gone.String()+"/", nil, anna...); status != 201 {
		t.Fatalf("anna waits: %d %s", status, body)
	}
	if status, _, body := s.review(cream, 400, anna...); status != 201 {
		t.Fatalf("anna's review: %d %s", status, body)
	}
	var trial struct{ ID string }
	d.got(staff.Analyst, 202, "POST", "/api/analytics/replays/", `{"rules":{"minimum_sum":9500}}`, &trial)
	p.ok("orders", "show", fmt.Sprint(placed.Number)) // waits for the read model

	secrets := []string{"anna@example.kz", "Анна", "7011234567", personEmail, personFirst, personLast, personPhone[1:], personStreet}
	ids := []string{placed.ID.String(), fmt.Sprint(placed.Number), cream.String(), gone.String(), trial.ID}
	for _, report := range reports.All() {
		ids = append(ids, report.Name)
	}
	for _, set := range dataset.Describe() {
		ids = append(ids, set.Name)
	}
	parameter := regexp.MustCompile(`\{[^}]+\}`)
	told := map[staff.Role]map[string]bool{staff.Analyst: {}, staff.Manager: {}}
	for route, who := range audiences {
		method, path, _ := strings.Cut(route, " ")
		if method != http.MethodGet || who != staffRoute || path == "/api/ops/live" || path == "/api/staff/live" { // which never ends
			continue
		}
		paths := []string{path}
		if parameter.MatchString(path) {
			paths = nil
			for _, id := range ids {
				paths = append(paths, parameter.ReplaceAllLiteralString(path, id))
			}
		}
		for role, seen := range told {
			for _, path := range paths {
				if strings.HasPrefix(path, "/api/analytics/datasets/") {
					path += "?format=csv"
				}
				answer := strings.ToLower(d.ask(method, path, "", "Cookie", d.as(role).cookie).Body.String())
				for _, secret := range secrets {
					if !strings.Contains(answer, strings.ToLower(secret)) {
						continue
					}
					seen[secret] = true
					if role == staff.Analyst {
						t.Errorf("GET %s tells an analyst %q", path, secret)
					}
				}
			}
		}
	}
	for _, secret := range secrets {
		if !told[staff.Manager][secret] {
			t.Errorf("nobody is told %q: is it looked for where it would be?", secret)
		}
	}
}
