package pages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"path"
	"slices"
	"strings"
)

// Head is what a page says about itself to search engines and to those it is shared with, as the storefront says it
// (web/shop/routes/head.ts).
type Head struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	// Path is the one address of the page, with what its query changes; empty: it is not known.
	Path    string  `json:"path"`
	Picture picture `json:"picture"`
	// Kind is Open Graph's; empty: website.
	Kind string `json:"kind"`
	// Private pages are not for search engines.
	Private bool `json:"private"`
	// Facts are what the page is about, in the words of schema.org.
	Facts []map[string]any `json:"facts"`
	// Preloads are pictures that the first paint waits for.
	Preloads []preload `json:"preloads"`
}

// outcome is what the answers make of an address.
type outcome struct {
	Head
	// Moved is the one address of a page that was asked for by another.
	Moved string `json:"moved"`
	// Missing: there is nothing at the address.
	Missing bool `json:"missing"`
}

// picture is an image that stands for a page.
type picture struct {
	Src    string `json:"src"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// SharePath is where the shop's own pictures are ready for sharing: /share/ADDRESS.jpg is that at /ADDRESS.
const SharePath = "/share"

// The size of a picture for sharing, which commands/photos makes.
const shareWidth, shareHeight = 1200, 630

// forSharing is the picture as others show it beside a link: one of the shop's own at the size that they ask for, in a form that all
// of them read.
func (p picture) forSharing() picture {
	local := strings.HasPrefix(p.Src, "/img/") || strings.HasPrefix(p.Src, "/media/")
	if !local || !slices.Contains([]string{".webp", ".jpg", ".png"}, path.Ext(p.Src)) {
		return p
	}
	return picture{Src: SharePath + p.Src + ".jpg", Width: shareWidth, Height: shareHeight}
}

// preload has the browser fetch a picture's best variant before it comes to it.
type preload struct {
	Type   string `json:"type"`
	Srcset string `json:"srcset"`
	Sizes  string `json:"sizes"`
	Media  string `json:"media"`
}

func (p preload) write(b *strings.Builder) {
	media := ""
	if p.Media != "" {
		media = ` media="` + html.EscapeString(p.Media) + `"`
	}
	fmt.Fprintf(b, "<link rel=\"preload\" as=\"image\" type=\"%s\" imagesrcset=\"%s\" imagesizes=\"%s\"%s fetchpriority=\"high\">\n",
		html.EscapeString(p.Type), html.EscapeString(p.Srcset), html.EscapeString(p.Sizes), media)
}

// locales are what Open Graph calls the languages.
var locales = map[string]string{russian: "ru_KZ", kazakh: "kk_KZ"}

// write spells the head of a page of a shop at an origin, in a language.
func (h Head) write(shop, origin, language string) string {
	title := cmp.Or(h.Title, shop)
	var b strings.Builder
	meta := func(attribute, name, content string) {
		if content != "" {
			fmt.Fprintf(&b, "<meta %s=\"%s\" content=\"%s\">\n", attribute, name, html.EscapeString(content))
		}
	}
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	meta("name", "application-name", shop)
	for _, p := range h.Preloads {
		p.write(&b)
	}
	meta("name", "description", h.Description)
	if h.Private {
		meta("name", "robots", "noindex")
		return b.String()
	}
	if h.Path == "" {
		return b.String()
	}
	address := origin + h.Path
	fmt.Fprintf(&b, "<link rel=\"canonical\" href=\"%s\">\n", html.EscapeString(address))
	meta("property", "og:site_name", shop)
	meta("property", "og:type", cmp.Or(h.Kind, "website"))
	meta("property", "og:locale", locales[language])
	meta("property", "og:title", title)
	meta("property", "og:url", address)
	meta("property", "og:description", h.Description)
	card := "summary"
	if h.Picture.Src != "" {
		card = "summary_large_image"
		p := h.Picture.forSharing()
		meta("property", "og:image", absolute(origin, p.Src))
		if p.Width > 0 && p.Height > 0 {
			meta("property", "og:image:width", fmt.Sprint(p.Width))
			meta("property", "og:image:height", fmt.Sprint(p.Height))
		}
		meta("property", "og:image:alt", h.Title)
	}
	meta("name", "twitter:card", card)
	for _, f := range h.Facts {
		f = maps.Clone(f) // two pages may be put together from one head at once
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
