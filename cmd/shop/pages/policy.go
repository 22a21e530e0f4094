package pages

import (
	"net/http"
	"slices"
	"sync/atomic"
)

// ReportsPath is where browsers say what a Content-Security-Policy kept from happening; ReportsEndpoint names it in answers.
const (
	ReportsPath     = "/reports/csp"
	ReportsEndpoint = `csp="` + ReportsPath + `"`
)

// always is what every policy says: no frames, no plugins, and text becomes script only where a Trusted Types policy makes it.
const always = "; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'" +
	"; report-uri " + ReportsPath + "; report-to csp"

// UpgradeInsecure ends the policies of a shop with https: what a page asks of http it asks of https.
const UpgradeInsecure = "; upgrade-insecure-requests"

// Policy makes the Content-Security-Policy of every answer but staff's pages. Scripts and styles come from files of our own or are
// those very ones in the shell, known by their hash; pictures may also lie on the hosts that the catalog names now, and be previews of
// what a shopper is about to send. web/index.html and the page of a post have the Trusted Types policies.
func (p *Pages) Policy() func(r *http.Request) string {
	shell := slices.Concat(p.shell.assemble(russian, "", "", "", nil), p.Staff)
	before := "default-src 'self'; script-src 'self'" + inlineHashes(shell, "script") +
		"; style-src 'self'" + inlineHashes(shell, "style") + "; worker-src 'self'; img-src 'self'"
	// The last policy is remembered with its sources: they rarely change, and every answer has the policy.
	type made struct{ sources, policy string }
	var last atomic.Pointer[made]
	return func(r *http.Request) string {
		sources := p.imgSrc(r)
		known := last.Load()
		if known == nil || known.sources != sources {
			known = &made{sources, before + sources + " data: blob:; trusted-types default post" + always}
			last.Store(known)
		}
		return known.policy
	}
}

// StaffPolicy is the Content-Security-Policy of staff's pages: everything comes from the shop, and nothing makes HTML of text. Of the
// shop's answers only previews let themselves be framed. The one Trusted Types policy names the service worker for pushes
// (web/staff/office/notices/push.ts).
func (p *Pages) StaffPolicy() string {
	return "default-src 'none'; script-src 'self'" + inlineHashes(p.Staff, "script") + "; style-src 'self'" + inlineHashes(p.Staff, "style") +
		"; connect-src 'self'; img-src 'self'; font-src 'self'; frame-src 'self'; manifest-src 'self'; worker-src 'self'; trusted-types notices content" + always
}

// previewPolicy is the Content-Security-Policy of previews: a page as it would be, with pictures on these hosts too, in a frame of the
// office, without scripts, forms and plugins.
func (p *Pages) previewPolicy(pictures []string) string {
	shell := p.shell.assemble(russian, "", "", "", nil)
	sources := ""
	for _, host := range pictures {
		sources += " https://" + host
	}
	return "default-src 'none'; script-src 'none'; style-src 'self'" + inlineHashes(shell, "style") + "; img-src 'self'" + sources + " data:; font-src 'self'" +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin"
}
