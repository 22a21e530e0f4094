package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// unfollowed asks for a page as somebody new does, and stays where it is sent away.
func (s *served) unfollowed(path string) (status int, header http.Header, body string) {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

// brandedCategory is a category with a product of a brand.
func (p program) brandedCategory() {
	p.t.Helper()
	p.ok("catalog", "import", p.file("list.csv", "Label,brand,name,price\nТело,Kalm,Мыло,9000\nТело,Ostara,Крем,9000\n"), "--columns", "category=Label", "--new-stock", "20")
}

// TestAttackCostOfPageAddresses: a page has one address; spellings of it and filters that nobody has are sent there.
func TestAttackCostOfPageAddresses(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.brandedCategory()
	s := p.serve()
	category := "/category/telo"
	many := make([]string, 3000)
	for i := range many {
		many[i] = fmt.Sprintf("review%d", i)
	}
	for asked, want := range map[string]string{
		category + "?brand=review1":                    category,
		category + "?brand=kalm,review1":               category + "?brand=kalm",
		category + "?brand=ostara,kalm":                category + "?brand=kalm%2Costara",
		category + "?brand=kalm,kalm":                  category + "?brand=kalm",
		category + "?brand=kalm&page=007":              category + "?brand=kalm&page=7",
		category + "?page=1":                           category,
		category + "?ordering=name":                    category,
		category + "?brand=" + strings.Join(many, ","): category,
		"/category/%74elo":                             category,
		"/category/%2574elo":                           "",
		"/category/telo/":                              category,
		"//category//telo":                             "",
	} {
		status, header, _ := s.unfollowed(asked)
		location := header.Get("Location")
		for hops := 0; hops < 3 && want != "" && location != "" && location != want; hops++ {
			status, header, _ = s.unfollowed(location)
			location = header.Get("Location")
		}
		name := asked[:min(len(asked), 60)]
		if want == "" {
			if status != http.StatusNotFound && status != http.StatusMovedPermanently {
				t.Errorf("%s: %d %s, want nothing there", name, status, location)
			}
			continue
		}
		if status != http.StatusMovedPermanently && status != http.StatusFound || location != want {
			t.Errorf("%s: %d %q, want %q", name, status, location, want)
		}
	}
	for _, asked := range []string{category, category + "?brand=kalm", category + "?brand=kalm&utm_source=mail", category + "?brand=kalm%2Costara"} {
		// A filtered list may come bare while another is rendered; then its script draws it.
		status, header, body := s.unfollowed(asked)
		if status != http.StatusOK || asked == category && !strings.Contains(body, "<title>Тело") || strings.Contains(body, "noindex") {
			t.Errorf("%s: %d %s %.300s", asked, status, header.Get("Location"), body)
		}
	}
	if status, _ := s.get("/api/products/?brand_id=" + strings.Join(many[:51], ",")); status != http.StatusBadRequest {
		t.Errorf("a list of 51 brands: %d", status)
	}
}

// TestAttackCostOfPages: who asks for one junk address after another is told to wait, and pages that are kept ready are
// everybody's, also his.
func TestAttackCostOfPages(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append([]string{"SHOP_PAGE_RATE=0.01", "SHOP_READ_RATE=0.01"}, without(without(p.env, "SHOP_PAGE_RATE"), "SHOP_READ_RATE")...)
	p.brandedCategory()
	s := p.serve()
	for range 2 {
		if status, _, body := s.unfollowed("/category/telo"); status != http.StatusOK || !strings.Contains(body, "<title>Тело") {
			t.Fatalf("the page: %d %.300s", status, body)
		}
	}
	s.get("/api/brands/")
	refused, missing := 0, 0
	for i := range 120 {
		path := []string{"/product/" + uuid.NewString(), fmt.Sprintf("/category/telo?page=%d", 2+i), fmt.Sprintf("/news/%d", i), fmt.Sprintf("/category/telo?brand=x%d", i)}[i%4]
		switch status, header, body := s.unfollowed(path); status {
		case http.StatusTooManyRequests:
			refused++
			if seconds, err := strconv.Atoi(header.Get("Retry-After")); err != nil || seconds < 1 || !strings.Contains(body, `<div id="root">`) { // a browser's script draws it
				t.Fatalf("refused until %q with %.200s", header.Get("Retry-After"), body)
			}
		case http.StatusNotFound:
			missing++
		}
	}
	if refused < 50 || missing == 0 {
		t.Errorf("of 120 junk addresses %d were refused, %d not found", refused, missing)
	}
	for path, want := range map[string]int{"/category/telo": 200, "/no/such/page": 404} {
		if status, _, body := s.unfollowed(path); status != want || !strings.Contains(body, `<div id="root"><`) {
			t.Errorf("%s, kept ready: %d %.300s", path, status, body)
		}
	}
	refused = 0
	for i := range 120 {
		if status, body := s.get(fmt.Sprintf("/api/products/?limit=%d&offset=%d", 1+i%100, i)); status == http.StatusTooManyRequests && strings.Contains(body, "detail") {
			refused++
		}
	}
	if refused < 50 {
		t.Errorf("of 120 lists that nobody asked before %d were refused", refused)
	}
	if status, body := s.get("/api/brands/"); status != http.StatusOK {
		t.Errorf("an answer that is kept: %d %s", status, body)
	}
}
