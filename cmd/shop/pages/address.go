package pages

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"shop/readapi"
)

// pathOf is a page's path as we spell it: each part escaped as browsers escape it, without a final slash, and never with two
// slashes at its start, which would name another server.
func pathOf(r *http.Request) string {
	parts := strings.Split(strings.Trim(r.URL.EscapedPath(), "/"), "/")
	for i, part := range parts {
		if decoded, err := url.PathUnescape(part); err == nil && decoded != "." && decoded != ".." {
			parts[i] = asComponent(decoded)
		}
	}
	return "/" + strings.Join(parts, "/")
}

// asComponent is a part of a path as encodeURIComponent writes it, of which the storefront makes its links.
func asComponent(part string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(part) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.!~*'()", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

const (
	// brandFilter is the name that an address lists brands under, by comma.
	brandFilter = "brand"
	// brandsCall answers with the shop's brands.
	brandsCall = "/api/brands/"
)

// brands are the ids and links of the shop's brands.
type brands struct {
	names map[string]bool
	from  *readapi.Gathered
}

// withKnownBrands is a page's address without the brands that the shop does not have: there are as many pages of those as
// somebody makes up. While nobody can say which brands there are, it is the address as it was.
func (p *Pages) withKnownBrands(ctx context.Context, address string) string {
	path, query, _ := strings.Cut(address, "?")
	asked, err := url.ParseQuery(query)
	if err != nil || asked.Get(brandFilter) == "" {
		return address
	}
	names := p.brandNames(ctx)
	if names == nil {
		return address
	}
	var known []string
	for name := range strings.SplitSeq(asked.Get(brandFilter), ",") {
		if names[name] {
			known = append(known, name)
		}
	}
	asked.Set(brandFilter, strings.Join(known, ","))
	if len(known) == 0 {
		asked.Del(brandFilter)
	}
	return with(path, asked)
}

// brandNames are the ids and links of the shop's brands; nil: they cannot be read now.
func (p *Pages) brandNames(ctx context.Context) map[string]bool {
	p.mu.Lock()
	last := p.brands
	p.mu.Unlock()
	if last != nil && last.from.Stands() {
		return last.names
	}
	read := &brands{names: map[string]bool{}, from: p.Gather()}
	body, err := p.Reads.answer(ctx, Question{Path: brandsCall}, read.from)
	var list []struct{ ID, Link string }
	if err == nil {
		err = json.Unmarshal(body, &list)
	}
	if err != nil {
		p.Log.WarnContext(ctx, "the brands that pages may be filtered by cannot be read", "error", err)
		return nil
	}
	for _, b := range list {
		read.names[b.ID], read.names[b.Link] = true, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.brands = read
	return read.names
}
