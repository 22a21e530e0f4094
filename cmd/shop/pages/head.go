package pages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// Head is what a page says about itself to search engines and to those it is shared with.
type Head struct {
	// Title is the page's; the shop's name follows it, stands before it on the home page, and is missing where it is whole.
	Title       string
	home, whole bool
	// Description is cut to what search engines show.
	Description string
	// Path is the one address of the page, with what its query changes.
	Path    string
	picture picture
	// kind is Open Graph's; empty: website.
	kind string
	// private pages are not for search engines.
	private bool
	// facts are what the page is about, in the words of schema.org.
	facts []fact
	// preloads are links to what the first paint waits for.
	preloads string
}

// fact is a thing of schema.org.
type fact map[string]any

// picture is an image as readapi describes it.
type picture struct {
	Src     string `json:"src"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Sources []struct {
		Type   string `json:"type"`
		Srcset string `json:"srcset"`
	} `json:"sources"`
}

// preload has the browser fetch the picture's best variant before it comes to it.
func (p picture) preload(sizes string) string {
	if len(p.Sources) == 0 {
		return ""
	}
	return preloadImage(p.Sources[0].Type, p.Sources[0].Srcset, sizes, "")
}

func preloadImage(kind, srcset, sizes, media string) string {
	if media != "" {
		media = ` media="` + html.EscapeString(media) + `"`
	}
	return fmt.Sprintf("<link rel=\"preload\" as=\"image\" type=\"%s\" imagesrcset=\"%s\" imagesizes=\"%s\"%s fetchpriority=\"high\">\n",
		html.EscapeString(kind), html.EscapeString(srcset), html.EscapeString(sizes), media)
}

// write spells the head of a page of a shop at an origin, in a language. What the catalog says stays as it is.
func (h Head) write(shop, origin, language string) string {
	locale := "ru_KZ"
	if language == Kazakh {
		locale = "kk_KZ"
		h.Title, h.Description = inKazakh(h.Title), inKazakh(h.Description)
	}
	title := shop
	switch {
	case h.whole:
		title = h.Title
	case h.home:
		title = shop + " — " + h.Title
	case h.Title != "":
		title = h.Title + " — " + shop
	}
	var b strings.Builder
	meta := func(attribute, name, content string) {
		if content != "" {
			fmt.Fprintf(&b, "<meta %s=\"%s\" content=\"%s\">\n", attribute, name, html.EscapeString(content))
		}
	}
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	meta("name", "application-name", shop)
	b.WriteString(h.preloads)
	description := Beginning(h.Description)
	meta("name", "description", description)
	if h.private {
		meta("name", "robots", "noindex")
		return b.String()
	}
	address := origin + h.Path
	fmt.Fprintf(&b, "<link rel=\"canonical\" href=\"%s\">\n", html.EscapeString(address))
	meta("property", "og:site_name", shop)
	meta("property", "og:type", cmp.Or(h.kind, "website"))
	meta("property", "og:locale", locale)
	meta("property", "og:title", title)
	meta("property", "og:url", address)
	meta("property", "og:description", description)
	card := "summary"
	if h.picture.Src != "" {
		card = "summary_large_image"
		meta("property", "og:image", absolute(origin, h.picture.Src))
		if h.picture.Width > 0 && h.picture.Height > 0 {
			meta("property", "og:image:width", fmt.Sprint(h.picture.Width))
			meta("property", "og:image:height", fmt.Sprint(h.picture.Height))
		}
	}
	meta("name", "twitter:card", card)
	for _, f := range h.facts {
		f["@context"] = "https://schema.org"
		text, err := json.Marshal(f) // escapes what could end the element
		if err == nil {
			fmt.Fprintf(&b, "<script type=\"application/ld+json\">%s</script>\n", text)
		}
	}
	return b.String()
}

// absolute is an address that others can follow.
func absolute(origin, address string) string {
	if strings.HasPrefix(address, "/") {
		return origin + address
	}
	return address
}

// step is one of the pages on the way to a page.
type step struct{ name, path string }

// trail says where a page stands.
func trail(origin string, steps ...step) fact {
	items := make([]fact, len(steps))
	for i, s := range steps {
		items[i] = fact{"@type": "ListItem", "position": i + 1, "name": s.name, "item": origin + s.path}
	}
	return fact{"@type": "BreadcrumbList", "itemListElement": items}
}

// Beginning is about as much of a text as search engines show, cut at a word.
func Beginning(text string) string {
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
