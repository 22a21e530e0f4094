package pages

import (
	"bytes"
	"fmt"
	"strings"
)

// testBankStyle is the strip's own style: pages of a shop that takes money have none of it. Its colours are its own, so that
// it looks the same on each page.
const testBankStyle = `.test-bank{margin:0;padding:6px 16px;background:#fff1c2;border-bottom:1px solid #c9a227;color:#443300;font:600 14px/1.4 var(--sans,system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif);text-align:center}`

// testBankTexts say in each language what the strip says. The staff app replaces the words by its own (web/staff/frame.tsx).
var testBankTexts = map[string]string{
	russian: "Тестовый банк: деньги не списываются",
	kazakh:  "Сынақ банкі: ақша алынбайды",
}

// testBankStrip is HTML that stands before a page's root element: it takes no script, and what draws the page leaves it be.
func testBankStrip(language string) string {
	return fmt.Sprintf("<aside class=\"test-bank\" lang=%q aria-label=%q>%s</aside>", language, strings.SplitN(testBankTexts[language], ":", 2)[0], testBankTexts[language])
}

// TellTestBank has the staff's pages begin with a strip that says that no money is taken, and the storefront's as well. It is
// for pages that nobody has been served yet.
func (p *Pages) TellTestBank(storefront bool) {
	const style = "<style>" + testBankStyle + "</style>\n"
	p.Staff = bytes.Replace(p.Staff, []byte("</head>"), []byte(style+"</head>"), 1)
	p.Staff = bytes.Replace(p.Staff, []byte("<body>"), []byte("<body>"+testBankStrip(russian)), 1)
	if storefront {
		p.shell.links = bytes.Replace(p.shell.links, []byte("</head>"), []byte(style+"</head>"), 1)
		p.shell.strip = testBankStrip
	}
}
