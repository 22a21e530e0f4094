package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"shop/readapi"
)

// subjects knows what a page about a product, category or brand is about, by id or link.
type subjects interface {
	Subject(ctx context.Context, kind, idOrLink string) (s readapi.Subject, found bool, err error)
}

// head is what a page says about itself to search engines and to those it is shared with.
type head struct {
	title, description, path, picture string
	// private pages are not for search engines.
	private bool
	status  int
}

// pages serves the storefront's shell, one HTML file for every page, with each page's own head and status.
type pages struct {
	shop   string
	origin string
	// before and after are the shell's parts around what a page's head adds.
	before, after []byte
	// operators is the page of the operators, a bundle of its own.
	operators []byte
	subjects  subjects
}

// ownHead are the tags of the shell that every page replaces with its own.
var ownHead = regexp.MustCompile(`(?is)\s*(<title>.*?</title>|<meta\s[^>]*\bname="?(description|robots|application-name)\b[^>]*>|<link\s[^>]*\brel="?canonical\b[^>]*>)`)

// unbuilt is the shell of a program that was built without the storefront, to work on its API.
const unbuilt = `<!doctype html>
<html lang="ru">
<head>
<meta charset="utf-8">
</head>
<body><p>The storefront is not built into this program: run make build.</p></body>
</html>
`

// operatorsFile is the operators' page in the built storefront.
const operatorsFile = "ops.html"

// isBuilt says whether the storefront is in the program.
func isBuilt(dist fs.FS) bool {
	_, err := fs.Stat(dist, "index.html")
	return err == nil
}

// loadPages reads the shell from the built storefront.
func loadPages(dist fs.FS, shop, origin string, s subjects) (*pages, error) {
	shell, err := fs.ReadFile(dist, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		shell, err = []byte(unbuilt), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the storefront's shell: %w", err)
	}
	before, after, found := bytes.Cut(ownHead.ReplaceAll(shell, nil), []byte("</head>"))
	if !found {
		return nil, errors.New("the storefront's shell has no </head>")
	}
	operators, err := fs.ReadFile(dist, operatorsFile)
	if errors.Is(err, fs.ErrNotExist) {
		operators, err = []byte(unbuilt), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the operators' page: %w", err)
	}
	name := fmt.Appendf(nil, "<meta name=\"application-name\" content=\"%s\">\n</head>", html.EscapeString(shop))
	operators = bytes.Replace(operators, []byte("</head>"), name, 1)
	return &pages{shop: shop, origin: origin, before: before, after: after, operators: operators, subjects: s}, nil
}

// policy is the Content-Security-Policy of every answer. Scripts and styles come from files of our own or are
// those very ones in the shell, known by their hash; pictures may also lie where a merchant's catalog says,
// and be previews of what a shopper is about to send.
func (p *pages) policy() string {
	shell := slices.Concat(p.before, p.after, p.operators)
	return "default-src 'self'; script-src 'self'" + inlineHashes(shell, "script") +
		"; style-src 'self'" + inlineHashes(shell, "style") +
		"; img-src 'self' https: data: blob:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
}

// inlineHashes lists what the shell holds between such tags, as CSP wants it.
func inlineHashes(shell []byte, tag string) string {
	var hashes strings.Builder
	inline := regexp.MustCompile(`(?is)<` + tag + `\b([^>]*)>(.*?)</` + tag + `>`)
	for _, m := range inline.FindAllSubmatch(shell, -1) {
		if len(bytes.TrimSpace(m[2])) == 0 || bytes.Contains(m[1], []byte("application/")) {
			continue // a file, or data
		}
		sum := sha256.Sum256(m[2])
		hashes.WriteString(" 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
	}
	return hashes.String()
}

// page serves a page that is always there.
func (p *pages) page(title, description string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.write(w, r, head{title: title, description: description, path: pathOf(r)})
	}
}

// private serves a page that is one shopper's own.
func (p *pages) private(title string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.write(w, r, head{title: title, path: pathOf(r), private: true})
	}
}

// about serves the page of one thing, or the not-found page. When we cannot know, the storefront may find out.
func (p *pages) about(log *slog.Logger, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s, found, err := p.subjects.Subject(r.Context(), kind, chi.URLParam(r, "id"))
		switch {
		case err != nil:
			logFailure(log, r, err)
			p.write(w, r, head{private: true, status: http.StatusServiceUnavailable})
		case !found:
			p.notFound(w, r)
		default:
			p.write(w, r, head{title: s.Name, description: beginning(s.Description), path: s.Path, picture: s.Picture})
		}
	}
}

// notFound serves the shell with a real 404; the storefront draws the not-found screen in it.
func (p *pages) notFound(w http.ResponseWriter, r *http.Request) {
	p.write(w, r, head{title: "Страница не найдена", private: true, status: http.StatusNotFound})
}

// ops serves the operators' page, the same to everybody under every address of it: what it shows comes from the API,
// to those who are signed in.
func (p *pages) ops(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Robots-Tag", "noindex")
	w.Write(p.operators)
}

func (p *pages) write(w http.ResponseWriter, r *http.Request, h head) {
	var b bytes.Buffer
	b.Grow(len(p.before) + len(p.after) + 1024)
	b.Write(p.before)
	title := p.shop
	if h.title != "" {
		title = h.title + " — " + p.shop
	}
	fmt.Fprintf(&b, "<title>%s</title>\n<meta name=\"application-name\" content=\"%s\">\n", html.EscapeString(title), html.EscapeString(p.shop))
	if h.description != "" {
		fmt.Fprintf(&b, "<meta name=\"description\" content=\"%s\">\n", html.EscapeString(h.description))
	}
	if h.private {
		b.WriteString("<meta name=\"robots\" content=\"noindex\">\n")
	} else {
		address := html.EscapeString(p.origin + h.path)
		fmt.Fprintf(&b, "<link rel=\"canonical\" href=\"%s\">\n", address)
		fmt.Fprintf(&b, "<meta property=\"og:site_name\" content=\"%s\">\n<meta property=\"og:title\" content=\"%s\">\n<meta property=\"og:url\" content=\"%s\">\n",
			html.EscapeString(p.shop), html.EscapeString(title), address)
		if h.description != "" {
			fmt.Fprintf(&b, "<meta property=\"og:description\" content=\"%s\">\n", html.EscapeString(h.description))
		}
		if h.picture != "" {
			picture := h.picture
			if strings.HasPrefix(picture, "/") {
				picture = p.origin + picture
			}
			fmt.Fprintf(&b, "<meta property=\"og:image\" content=\"%s\">\n", html.EscapeString(picture))
		}
	}
	b.WriteString("</head>")
	b.Write(p.after)

	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-cache")
	if h.status != 0 {
		w.WriteHeader(h.status)
		w.Write(b.Bytes())
		return
	}
	sum := sha256.Sum256(b.Bytes())
	tag := `W/"` + hex.EncodeToString(sum[:12]) + `"`
	header.Set("ETag", tag)
	if sameTag(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(b.Bytes())
}

// pathOf is a page's path as we spell it: without a final slash.
func pathOf(r *http.Request) string {
	if path := strings.TrimRight(r.URL.EscapedPath(), "/"); path != "" {
		return path
	}
	return "/"
}

// beginning is about as much of a text as search engines show, cut at a word.
func beginning(text string) string {
	const most = 160
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	cut := string([]rune(text)[:most-1])
	if space := strings.LastIndexByte(cut, ' '); space > 0 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:–—-") + "…"
}
