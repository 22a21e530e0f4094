package pages

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// ahead are links to what a page will want: a preview is in no hurry, and runs no scripts.
var ahead = regexp.MustCompile(`\srel="(preload|modulepreload|later|manifest)"`)

// addressOfLink is the address of a link in its tag.
var addressOfLink = regexp.MustCompile(`(\shref=")([^"]*)(")`)

// Still is a page without its scripts, what it fetches ahead and what it says to those who have no scripts: it shows, and does nothing. Its
// links lead to where to says; they stay as they are where it says nothing.
func Still(page []byte, to func(address string) string) []byte {
	var b bytes.Buffer
	b.Grow(len(page))
	left := "" // the element that is left out
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return b.Bytes()
		}
		raw := bytes.Clone(z.Raw())
		name, _ := z.TagName()
		switch tag := string(name); {
		case left != "":
			if kind == html.EndTagToken && tag == left {
				left = ""
			}
		case kind == html.StartTagToken && (tag == "script" || tag == "noscript"):
			left = tag
		case tag == "link" && ahead.Match(raw):
		case kind == html.StartTagToken && tag == "a":
			b.Write(led(raw, to))
		default:
			b.Write(raw)
		}
	}
}

// led is a link's tag with another address.
func led(tag []byte, to func(address string) string) []byte {
	return addressOfLink.ReplaceAllFunc(tag, func(link []byte) []byte {
		said := addressOfLink.FindSubmatch(link)
		next := to(html.UnescapeString(string(said[2])))
		if next == "" {
			return link
		}
		return []byte(string(said[1]) + html.EscapeString(next) + string(said[3]))
	})
}

// PreviewLink is where a link of a preview at base leads: to pages of the storefront in the preview. What is none, such as a file, stays.
func PreviewLink(base, language string) func(address string) string {
	return func(address string) string {
		path, fragment, _ := strings.Cut(address, "#")
		if _, err := inside(context.Background(), path); err != nil || strings.HasSuffix(path, ".pdf") {
			return ""
		}
		next := base + "?" + url.Values{"language": {known(language)}, "path": {path}}.Encode()
		if fragment != "" {
			next += "#" + fragment
		}
		return next
	}
}

// WritePreview answers with a page that is shown to one person of the staff in a frame of the office: nobody keeps it, no search engine
// has it, and nothing in it runs.
func (p *Pages) WritePreview(w http.ResponseWriter, page Previewed, pictures []string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Robots-Tag", "noindex, nofollow")
	header.Set("X-Frame-Options", "SAMEORIGIN")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Content-Security-Policy", p.previewPolicy(pictures))
	w.WriteHeader(page.Status)
	w.Write(page.HTML)
}
