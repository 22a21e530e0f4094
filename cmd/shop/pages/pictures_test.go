package pages

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"shop/eventstore"
	"shop/readapi"
)

// The policy allows pictures from the hosts that the catalog names, and learns of others when the catalog changes; a call of a script
// looks for none.
func TestPoliciesNameTheHostsOfPictures(t *testing.T) {
	t.Parallel()
	p := testPages(t)
	answers := readapi.NewAnswers(1<<20, time.Now)
	p.Gather = answers.Gather
	now, looks, hosts, failed := time.Unix(1_000_000, 0), 0, []string{"pictures.example"}, error(nil)
	p.Pictures.Now = func() time.Time { return now }
	p.Pictures.List = func(context.Context) ([]string, bool, error) { looks++; return hosts, len(hosts) > 1, failed }
	policy := p.Policy()
	check := func(what, path, want string, looked int) {
		t.Helper()
		got := policy(httptest.NewRequest("GET", path, nil))
		if !strings.Contains(got, "; img-src 'self'"+want+" data: blob:;") || strings.Contains(got, "https:;") || strings.Contains(got, "https: ") {
			t.Errorf("%s: %s, want %q", what, got, want)
		}
		if looks != looked {
			t.Errorf("%s: %d looks, want %d", what, looks, looked)
		}
	}
	changed := func(stream, kind string) {
		answers.Changed("catalog", []eventstore.Event{{Stream: stream, Type: kind}})
	}
	check("a call", "/api/products/", "", 0)
	check("a page", "/", " https://pictures.example", 1)
	check("a call later", "/api/products/", " https://pictures.example", 1)
	now = now.Add(time.Hour)
	check("nothing changed", "/", " https://pictures.example", 1)
	changed("product-1", "product.described")
	hosts = []string{"a.example:8443", "b.example"}
	check("changed", "/", " https://a.example:8443 https://b.example", 2)
	changed("brand-1", "brand.changed")
	hosts = nil
	check("changed soon after", "/", " https://a.example:8443 https://b.example", 2)
	now, failed = now.Add(picturesEvery), errors.New("no database")
	check("the database is away", "/", " https://a.example:8443 https://b.example", 3)
	now, failed = now.Add(picturesEvery), nil
	check("it is back", "/", "", 4)
}
