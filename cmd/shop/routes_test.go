package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/ops"
	"shop/cmd/shop/pages"
	"shop/cmd/shop/shoptest"
	"shop/commands"
	"shop/commands/identity"
	"shop/commands/payments"
	"shop/commands/staffapi"
	"shop/readapi"
)

// testSite has every route and no database behind it.
func testSite(t *testing.T) http.Handler {
	t.Helper()
	return siteOf(t, shoptest.Built)
}

// siteOf is testSite with another build of the storefront.
func siteOf(t *testing.T, dist fs.FS) http.Handler {
	t.Helper()
	c, err := app.ReadConfig(shoptest.Env())
	if err != nil {
		t.Fatal(err)
	}
	files, err := edge.LoadAssets(dist)
	if err != nil {
		t.Fatal(err)
	}
	nothing, err := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/nothing") // connects when it is asked
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nothing.Close)
	s := &edge.Site{
		Config: c, Log: shoptest.Quiet, Https: true, Pages: pagesOf(t, dist), Assets: files,
		Reads: edge.Reads{
			Products: readapi.Products{DB: nothing, Now: time.Now}, Brands: readapi.Brands{DB: nothing, Now: time.Now}, Content: readapi.Content{DB: nothing},
			Categories: readapi.Categories{DB: nothing, Now: time.Now}, Posts: readapi.Posts{DB: nothing}, Rules: readapi.Rules{DB: nothing, Now: time.Now}, Shop: readapi.Shop{Stated: c.ShopView(nil)},
			Texts: readapi.Pages{DB: nothing}, Documents: readapi.Documents{DB: nothing},
		},
		Baskets: &commands.Baskets{}, Orders: &commands.Orders{}, Bank: &payments.Bank{}, Customers: &identity.Accounts{},
	}
	s.StaffOrders, s.StaffReviews, s.StaffParcels = &staffapi.Orders{}, &staffapi.Reviews{}, &staffapi.Parcels{}
	s.Pages.Reads = s.PageReads()
	s.Pages.Engines = pages.StartEngines(shoptest.ServerScript(), "Дала", s.Pages.Origin, 1)
	t.Cleanup(s.Pages.Engines.Stop)
	return s.Routes()
}

func TestEveryDescribedCallIsRouted(t *testing.T) {
	t.Parallel()
	paths := map[string]map[string]json.RawMessage{}
	for _, made := range []func() ([]byte, error){readapi.Contract, ops.Contract} {
		document, err := made()
		if err != nil {
			t.Fatal(err)
		}
		var contract struct {
			Paths map[string]map[string]json.RawMessage `json:"paths"`
		}
		if err := json.Unmarshal(document, &contract); err != nil {
			t.Fatal(err)
		}
		if len(contract.Paths) < 10 {
			t.Fatalf("the contract has %d paths", len(contract.Paths))
		}
		maps.Copy(paths, contract.Paths)
	}
	routes := testSite(t).(chi.Routes)
	described := map[string]bool{}
	for path, operations := range paths {
		slashless := strings.TrimSuffix(path, "/")
		for operation := range operations {
			method := strings.ToUpper(operation)
			if method == "PARAMETERS" {
				continue
			}
			described[method+" "+slashless] = true
			at := chi.NewRouteContext()
			if !routes.Match(at, method, slashless) {
				t.Errorf("%s %s is described and not routed", method, path)
			} else if at.RoutePattern() != slashless {
				t.Errorf("%s %s is answered by %s", method, path, at.RoutePattern())
			}
		}
	}
	// What is routed below /api and no shopper calls.
	for _, other := range []string{
		"GET /api/openapi.json", "GET /api/ops/openapi.json", "POST /api/payments/{provider}", "POST /api/payments/{provider}/{kind}",
	} {
		described[other] = true
	}
	chi.Walk(routes, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method != "HEAD" && strings.HasPrefix(route, "/api/") && !described[method+" "+route] {
			t.Errorf("%s %s is routed and not described", method, route)
		}
		return nil
	})
}

func TestEveryAnswerIsSecured(t *testing.T) {
	t.Parallel()
	h := testSite(t)
	for _, path := range []string{"/", "/nowhere", "/api/shop/", "/api/nowhere", "/assets/main-1.js", "/api/orders/", "/healthz"} {
		header := shoptest.Get(t, h, path).Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options":       "nosniff",
			"X-Frame-Options":              "DENY",
			"Referrer-Policy":              "strict-origin-when-cross-origin",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Strict-Transport-Security":    "max-age=31536000; includeSubDomains",
		} {
			if header.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, header.Get(name))
			}
		}
		policy := header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'self'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "object-src 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy lacks %s: %s", path, want, policy)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %s", path, policy)
		}
		if header.Get("Permissions-Policy") == "" || header.Get("X-Request-ID") == "" {
			t.Errorf("%s: headers are %v", path, header)
		}
	}
}

// TestTheCameraIsForStaffAlone: the warehouse scans with it, and no page of the storefront may open it.
func TestTheCameraIsForStaffAlone(t *testing.T) {
	t.Parallel()
	h := testSite(t)
	for path, want := range map[string]string{"/": "camera=()", "/checkout": "camera=()", "/admin/packing": "camera=(self)", "/ops": "camera=(self)"} {
		if got := shoptest.Get(t, h, path).Header().Get("Permissions-Policy"); !strings.HasPrefix(got, want+", ") || !strings.Contains(got, "microphone=()") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestSlashAtTheEndMakesNoDifference(t *testing.T) {
	t.Parallel()
	h := testSite(t)
	if a, b := shoptest.Get(t, h, "/api/shop"), shoptest.Get(t, h, "/api/shop/"); a.Code != 200 || b.Code != 200 || a.Body.String() != b.Body.String() {
		t.Errorf("a call: got %d and %d", a.Code, b.Code)
	}
	for _, path := range []string{"/about", "/basket", "/dostavka-i-skidki"} {
		a, b := shoptest.Get(t, h, path), shoptest.Get(t, h, path+"/")
		if a.Code != 200 || b.Code != 301 || b.Header().Get("Location") != path {
			t.Errorf("page %s: got %d, and %d to %s", path, a.Code, b.Code, b.Header().Get("Location"))
		}
	}
}

func TestHeadIsGetWithoutTheBody(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(testSite(t))
	defer server.Close()
	for path, want := range map[string]int{"/": 200, "/api/shop/": 200, "/assets/main-1.js": 200, "/product/soap": 503, "/nowhere": 404} {
		response, err := http.Head(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want || response.Header.Get("Content-Type") == "" {
			t.Errorf("HEAD %s: got %d %v", path, response.StatusCode, response.Header)
		}
	}
}

func TestWrongMethodSaysWhichAreRight(t *testing.T) {
	t.Parallel()
	h := testSite(t)
	for _, c := range []struct{ method, path, allow string }{
		{"POST", "/api/products/", "GET, HEAD"},
		{"PUT", "/api/orders", "GET, HEAD, POST"},
		{"DELETE", "/api/orders/", "GET, HEAD, POST"},
		{"GET", "/api/auth/register", "POST"},
		{"PUT", "/pay/sandbox/x", "GET, HEAD, POST"},
		{"POST", "/", "GET, HEAD"},
		{"POST", "/api/staff/orders/100001/tags", "PUT"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != c.allow || !strings.Contains(w.Body.String(), edge.TextMethod) {
			t.Errorf("%s %s: got %d, Allow %q, %s", c.method, c.path, w.Code, w.Header().Get("Allow"), w.Body)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	h := testSite(t)
	for path, kind := range map[string]string{
		"/api/nowhere":         "application/json; charset=utf-8",
		"/api/products/a/b/c/": "application/json; charset=utf-8",
		"/nowhere":             "text/html; charset=utf-8",
		"/../../etc/passwd":    "text/html; charset=utf-8",
		"/assets/old-2.js":     "text/plain; charset=utf-8",
	} {
		w := shoptest.Get(t, h, path)
		if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != kind {
			t.Errorf("%s: got %d %s", path, w.Code, w.Header().Get("Content-Type"))
		}
	}
}

func TestCallsHaveALimitOfBody(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/api/orders/", strings.NewReader(`{"customer_first_name":"`+strings.Repeat("a", edge.MaxBody)+`"}`))
	r.Header.Set("Content-Type", "application/json")
	testSite(t).ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), "detail") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func testPages(t *testing.T) *pages.Pages {
	t.Helper()
	return pagesOf(t, shoptest.Built)
}

func pagesOf(t *testing.T, dist fs.FS) *pages.Pages {
	t.Helper()
	p, err := pages.LoadPages(dist, "Дала", "https://shop.example", shoptest.Quiet)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
