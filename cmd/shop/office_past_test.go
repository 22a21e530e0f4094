package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shop/domain/staff"
	reads "shop/readapi/staff"
)

// TestScreensAsTheyWere: settings, texts, the blog, promo codes and the ledger of a stock at the moment before all of them changed.
func TestScreensAsTheyWere(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	p, admin := d.program(), d.worker(staff.Admin)
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	change := func(phone, slogan, title, percent string) {
		t.Helper()
		p.ok("settings", "publish", write("settings.json", `{"phone": "`+phone+`"}`))
		p.ok("content", "set", "discount-text", write("text.md", "---\ntext: \""+slogan+" {free_from}\"\n---\n"))
		p.ok("posts", "publish", write("inci.md", "---\ntitle: "+title+"\ndate: 2026-01-05\ndescription: О составах\n---\nСостав\n"))
		p.ok("promocodes", "issue", "SPRING", "--percent", percent, "--public")
	}
	change("+77010000001", "Раньше от", "Как читали", "10")
	at := fmt.Sprintf("?at=%d", d.head())
	change("+77010000002", "Теперь от", "Как читать", "15")
	p.ok("stock", "receive", "--article", "MK-1", "--quantity", "5")
	d.catchUp("posts", "promocode", "sales", "catalog", "stock")
	var found reads.FoundProducts
	admin.ask(200, "GET", "/api/staff/products/?query=mk-1", "", &found)
	ledger := "/api/staff/stock/" + found.Results[0].ID.String() + "/ledger/"
	for path, says := range map[string][2]string{
		"/api/staff/settings/":          {`"+77010000001"`, `"+77010000002"`},
		"/api/staff/content/":           {"Раньше от", "Теперь от"},
		"/api/staff/posts/":             {"Как читали", "Как читать"},
		"/api/staff/promocodes/":        {`"value":10,`, `"value":15,`},
		"/api/staff/promocodes/SPRING/": {`"value":10,`, `"value":15,`},
		ledger:                          {`"on_hand":7,"reserved":0,"movements":1`, `"on_hand":12,"reserved":0,"movements":2`},
	} {
		for n, query := range []string{at, ""} {
			said := d.ask("GET", path+query, "", "Cookie", admin.cookie)
			if body := said.Body.String(); said.Code != 200 || !strings.Contains(body, says[n]) || strings.Contains(body, says[1-n]) {
				t.Errorf("%s%s: %d %s, want %s", path, query, said.Code, body, says[n])
			}
		}
		admin.refused(400, "GET", path+"?at=999999999", "", "at")
	}
}
