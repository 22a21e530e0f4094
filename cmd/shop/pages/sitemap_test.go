package pages

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/shoptest"
	"shop/readapi"
)

func TestSitemapNamesPagesAndTheirPictures(t *testing.T) {
	t.Parallel()
	changed := time.Date(2026, 3, 1, 12, 0, 0, 0, almatyTime)
	parts := mapParts("https://shop.example", []readapi.SitePage{
		{Path: "/"}, {Path: "/news/о-масле", Changed: &changed, Pictures: []string{"/img/oil.webp", "https://cdn.example/a?b=1&c=2"}},
	}, 10, 1<<20)
	var read struct {
		URL []struct {
			Loc     string `xml:"loc"`
			Lastmod string `xml:"lastmod"`
			Image   []struct {
				Loc string `xml:"loc"`
			} `xml:"image"`
		} `xml:"url"`
	}
	if len(parts) != 1 || xml.Unmarshal([]byte(parts[0]), &read) != nil || len(read.URL) != 2 {
		t.Fatalf("got %q", parts)
	}
	post := read.URL[1]
	if post.Loc != "https://shop.example/news/%D0%BE-%D0%BC%D0%B0%D1%81%D0%BB%D0%B5" || post.Lastmod != "2026-03-01T07:00:00Z" ||
		len(post.Image) != 2 || post.Image[0].Loc != "https://shop.example/img/oil.webp" || post.Image[1].Loc != "https://cdn.example/a?b=1&c=2" {
		t.Errorf("got %+v", post)
	}
}

func TestSitemapIsSplitPastTheLimits(t *testing.T) {
	t.Parallel()
	var all []readapi.SitePage
	for i := range 25 {
		all = append(all, readapi.SitePage{Path: fmt.Sprintf("/product/%d", i)})
	}
	for _, limits := range [][2]int{{10, 1 << 20}, {1000, 700}} {
		parts := mapParts("https://shop.example", all, limits[0], limits[1])
		if len(parts) < 3 {
			t.Fatalf("%v: got %d parts", limits, len(parts))
		}
		entries := 0
		for _, part := range parts {
			if len(part) > limits[1] || strings.Count(part, "<url>") > limits[0] {
				t.Errorf("%v: a part has %d bytes and %d pages", limits, len(part), strings.Count(part, "<url>"))
			}
			entries += strings.Count(part, "<url>")
		}
		if entries != len(all) {
			t.Errorf("%v: got %d pages", limits, entries)
		}
	}
}

var almatyTime = time.FixedZone("", 5*60*60)

func TestSitemapIsMadeOnceAMinute(t *testing.T) {
	t.Parallel()
	now, asked := time.Date(2026, 3, 1, 12, 0, 0, 0, almatyTime), 0
	m := &SiteMap{Origin: "https://shop.example", Clock: func() time.Time { return now }, List: func(context.Context) ([]readapi.SitePage, error) {
		if asked++; asked == 1 {
			return nil, context.Canceled
		}
		return []readapi.SitePage{{Path: fmt.Sprintf("/product/%d", asked)}}, nil
	}}
	for _, step := range []struct {
		after  time.Duration
		status int
		want   string
	}{{0, 500, ""}, {0, 200, "/product/2<"}, {mapFor - time.Second, 200, "/product/2<"}, {time.Second, 200, "/product/3<"}} {
		now = now.Add(step.after)
		if w := shoptest.Get(t, answering(m.Serve), "/sitemap.xml"); w.Code != step.status || !strings.Contains(w.Body.String(), step.want) {
			t.Errorf("at %s: %d %s", now, w.Code, w.Body)
		}
	}
}

// answering answers an endpoint's error with 500.
func answering(e func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := e(w, r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}
