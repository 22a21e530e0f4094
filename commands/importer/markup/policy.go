package markup

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

var (
	// pages are addresses that links may lead to: the shop's own paths, places on the page, https, mail and telephone.
	pages = regexp.MustCompile(`^(?:/|/[^/\\\s][^\\\s]*|#[^\s]*|https://[^\s]+|mailto:[^\s]+|tel:[+0-9-]+)$`)
	// files are addresses of pictures: the shop's own paths and https.
	files  = regexp.MustCompile(`^(?:/[^/\\\s][^\\\s]*|https://[^\s]+)$`)
	pixels = regexp.MustCompile(`^[1-9][0-9]{0,4}$`)
	// written are addresses of pictures in a text that is not sanitised yet: those, and files beside it.
	written = regexp.MustCompile(`^(?:/[^/\\\s][^\\\s]*|https://[^\s]+|[^/:\\\s][^:\\\s]*\.(?i:png|jpe?g))$`)
	// srcset are widths of one picture of the shop's own.
	srcset = regexp.MustCompile(`^/[^/\\\s,][^\\\s,]* [1-9][0-9]{0,4}w(?:, /[^/\\\s,][^\\\s,]* [1-9][0-9]{0,4}w)*$`)
)

// sizes lets the browser measure the picture; a browser that cannot assumes the width of the window.
const sizes = "auto, 100vw"

// policy is for HTML to be shown, draft for HTML whose pictures are still to be resolved.
var policy, draft = policyWith(files), policyWith(written)

func policyWith(files *regexp.Regexp) *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h2", "h3", "h4", "ul", "li", "blockquote", "strong", "em", "del", "sup", "sub", "code", "pre",
		"table", "thead", "tbody", "tr", "figure", "figcaption")
	p.AllowAttrs("start").Matching(pixels).OnElements("ol")
	p.AllowElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(?:left|center|right)$`)).OnElements("th", "td")
	p.AllowElements("th", "td")
	p.AllowAttrs("href").Matching(pages).OnElements("a")
	p.AllowAttrs("src").Matching(files).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(pixels).OnElements("img")
	p.AllowElements("picture")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^image/(?:avif|webp|jpeg|png)$`)).OnElements("source")
	p.AllowAttrs("srcset").Matching(srcset).OnElements("source")
	p.AllowAttrs("sizes").Matching(regexp.MustCompile(`^`+sizes+`$`)).OnElements("source", "img")
	p.AllowAttrs("loading").Matching(regexp.MustCompile(`^lazy$`)).OnElements("img")
	p.AllowAttrs("decoding").Matching(regexp.MustCompile(`^async$`)).OnElements("img")
	p.AllowURLSchemes("https", "mailto", "tel")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	// Other sites get neither the referring page nor a handle on its window.
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	return p
}

// Sanitise removes everything unsafe from HTML; safe HTML stays unchanged.
func Sanitise(html string) string { return policy.Sanitize(html) }
