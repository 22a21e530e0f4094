package pages_test

import (
	"testing"

	"shop/cmd/shop/pages"
)

// TestStill: what would run or be fetched ahead is gone, links lead on in the preview, and everything else is as it was.
func TestStill(t *testing.T) {
	t.Parallel()
	page := `<!doctype html><head><link rel="preload" as="image" href="/a.avif"><link rel="later" href="/a.js"><link rel="icon" href="/i.svg"/>` +
		`<script>alert("</p>")</script><script type="application/json">{"a":1}</script><style>a>b{c:d}</style></head>` +
		`<body data-x='<a href="/no">'><noscript>No <b>script</b></noscript><a class="x" href="/product/cream?from=a&amp;b=1#reviews">Крем &amp; <!-- --> мыло</a>` +
		`<a href="tel:+7">t</a><a href="//evil.example/">e</a><a href="https://evil.example/">h</a><a href="/documents/offer.pdf" target="_blank">p</a><a href="/media/x.webp">m</a><br/></body>`
	want := `<!doctype html><head><link rel="icon" href="/i.svg"/><style>a>b{c:d}</style></head>` +
		`<body data-x='<a href="/no">'><a class="x" href="/preview/?language=kk&amp;path=%2Fproduct%2Fcream%3Ffrom%3Da%26b%3D1#reviews">Крем &amp; <!-- --> мыло</a>` +
		`<a href="tel:+7">t</a><a href="//evil.example/">e</a><a href="https://evil.example/">h</a><a href="/documents/offer.pdf" target="_blank">p</a><a href="/media/x.webp">m</a><br/></body>`
	if got := string(pages.Still([]byte(page), pages.PreviewLink("/preview/", "kk"))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
