package pages

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"shop/readapi"
)

// The limits of sitemaps.org for one file; some room is left for what stands around the pages.
const (
	sitemapPages = 50_000
	sitemapBytes = 50<<20 - 1<<10
)

// mapFor is how long the map of the site is sent as it was made: it names every product, and anybody may ask for it.
const mapFor = time.Minute

// SiteMap is what search engines may find, for their robots.
type SiteMap struct {
	Origin string
	// Fixed are the pages that are always there.
	Fixed []readapi.SitePage
	List  func(context.Context) ([]readapi.SitePage, error)
	Clock func() time.Time

	mu   sync.Mutex
	kept []string
	made time.Time
}

// Serve answers with the map or, past the limits of a file, with an index of its parts.
func (m *SiteMap) Serve(w http.ResponseWriter, r *http.Request) error {
	parts, err := m.parts(r.Context())
	if err != nil {
		return err
	}
	if name := chi.URLParam(r, "part"); name != "" {
		part, err := strconv.Atoi(name)
		if err != nil || part < 1 || part > len(parts) {
			return readapi.ErrNotFound
		}
		writeMap(w, parts[part-1])
		return nil
	}
	if len(parts) == 1 {
		writeMap(w, parts[0])
		return nil
	}
	var b strings.Builder
	b.WriteString(xml.Header + "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for i := range parts {
		fmt.Fprintf(&b, "<sitemap><loc>%s/sitemap-%d.xml</loc></sitemap>\n", escaped(m.Origin), i+1)
	}
	b.WriteString("</sitemapindex>\n")
	writeMap(w, b.String())
	return nil
}

// parts are the map as it was less than mapFor ago.
func (m *SiteMap) parts(ctx context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.Clock()
	if m.kept != nil && now.Sub(m.made) < mapFor {
		return m.kept, nil
	}
	found, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	m.kept = mapParts(m.Origin, slices.Concat(m.Fixed, found), sitemapPages, sitemapBytes)
	m.made = now
	return m.kept, nil
}

func writeMap(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Write([]byte(text))
}

// mapParts spells pages as sitemaps of so many pages and bytes at most; there is at least one.
func mapParts(origin string, pages []readapi.SitePage, most, bytes int) []string {
	const begin = xml.Header + "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">\n"
	const end = "</urlset>\n"
	var parts []string
	var b strings.Builder
	count := 0
	b.WriteString(begin)
	for _, page := range pages {
		entry := mapEntry(origin, page)
		if count == most || count > 0 && b.Len()+len(entry)+len(end) > bytes {
			parts = append(parts, b.String()+end)
			b.Reset()
			b.WriteString(begin)
			count = 0
		}
		b.WriteString(entry)
		count++
	}
	return append(parts, b.String()+end)
}

func mapEntry(origin string, page readapi.SitePage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<url><loc>%s</loc>", escaped(origin+(&url.URL{Path: page.Path}).EscapedPath()))
	if page.Changed != nil {
		fmt.Fprintf(&b, "<lastmod>%s</lastmod>", page.Changed.UTC().Format(time.RFC3339))
	}
	for _, picture := range page.Pictures {
		fmt.Fprintf(&b, "<image:image><image:loc>%s</image:loc></image:image>", escaped(absolute(origin, picture)))
	}
	b.WriteString("</url>\n")
	return b.String()
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
