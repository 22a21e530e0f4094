package edge

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const (
	// maxReport is the most bytes of a body of reports, maxReports how many of them are read, maxReported how long a text of one may be.
	maxReport, maxReports, maxReported = 32 << 10, 20, 200
	// reportsAnHour is how many reports an hour are logged, reportsKnown how many are known not to be new.
	reportsAnHour, reportsKnown = 60, 1000
	// reportsASecond and reportsAtOnce bound the bodies of one address.
	reportsASecond, reportsAtOnce = 0.1, 10
)

// directives are what reports are counted by; others are counted as one.
var directives = map[string]bool{
	"connect-src": true, "default-src": true, "font-src": true, "form-action": true, "frame-ancestors": true, "img-src": true, "manifest-src": true, "object-src": true,
	"require-trusted-types-for": true, "script-src": true, "script-src-attr": true, "script-src-elem": true, "style-src": true, "style-src-attr": true,
	"style-src-elem": true, "trusted-types": true, "worker-src": true,
}

// policyReports takes what browsers report of the Content-Security-Policy. Anybody may send anything, so all of it is counted and
// little of it logged: each kind once, texts shortened, so many an hour.
type policyReports struct {
	log     *slog.Logger
	counted metric.Int64Counter

	mu     sync.Mutex
	known  *lru.Cache[violation, struct{}]
	hour   time.Time
	logged int
}

func newPolicyReports(log *slog.Logger) *policyReports {
	p := &policyReports{log: log}
	p.known, _ = lru.New[violation, struct{}](reportsKnown) // errs only below 1
	// An instrument with a valid constant name cannot fail.
	p.counted, _ = otel.Meter("shop/http").Int64Counter("shop.csp.reports", metric.WithUnit("{report}"),
		metric.WithDescription("Reports of browsers on the Content-Security-Policy, by directive"))
	return p
}

func reportLimit(next http.Handler) http.Handler {
	return limitBy(reportsASecond, reportsAtOnce, TextTooMany, byNetworks)(next)
}

// violation is what is logged of a report: no address of a page in full, which may hold a key.
type violation struct{ directive, blocked, page, source string }

func (p *policyReports) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxReport+1))
	if err != nil || len(body) > maxReport {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	found := violations(body)
	if len(found) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, v := range found {
		p.counted.Add(r.Context(), 1, metric.WithAttributes(attribute.String("directive", v.directive)))
		if p.isNew(v, time.Now()) {
			p.log.WarnContext(r.Context(), "a browser reports a violation of the Content-Security-Policy", "directive", v.directive, "blocked", v.blocked, "page", v.page, "source", v.source)
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// isNew: nobody has reported the like, and the hour is not full.
func (p *policyReports) isNew(v violation, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known.Contains(v) {
		return false
	}
	if now.Sub(p.hour) >= time.Hour {
		p.hour, p.logged = now, 0
	}
	if p.logged >= reportsAnHour {
		return false
	}
	p.known.Add(v, struct{}{})
	p.logged++
	return true
}

// violations reads a body of either kind: a list of the Reporting API, or the one report of report-uri.
func violations(body []byte) []violation {
	type reported struct {
		Type string `json:"type"`
		Body struct {
			Directive string `json:"effectiveDirective"`
			Blocked   string `json:"blockedURL"`
			Page      string `json:"documentURL"`
			Source    string `json:"sourceFile"`
		} `json:"body"`
	}
	var list []reported
	if json.Unmarshal(body, &list) == nil {
		var found []violation
		for _, r := range list[:min(len(list), maxReports)] {
			if r.Type == "csp-violation" {
				found = append(found, violationOf(r.Body.Directive, r.Body.Blocked, r.Body.Page, r.Body.Source))
			}
		}
		return found
	}
	var one struct {
		Report *struct {
			Effective string `json:"effective-directive"`
			Violated  string `json:"violated-directive"`
			Blocked   string `json:"blocked-uri"`
			Page      string `json:"document-uri"`
			Source    string `json:"source-file"`
		} `json:"csp-report"`
	}
	if json.Unmarshal(body, &one) != nil || one.Report == nil {
		return nil
	}
	directive := one.Report.Effective
	if directive == "" {
		directive, _, _ = strings.Cut(one.Report.Violated, " ")
	}
	return []violation{violationOf(directive, one.Report.Blocked, one.Report.Page, one.Report.Source)}
}

func violationOf(directive, blocked, page, source string) violation {
	if !directives[directive] {
		directive = "other"
	}
	return violation{directive, origin(blocked), firstOfPath(page), firstOfPath(source)}
}

// origin is where something was to come from, without its path and query; a word such as inline stays.
func origin(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		text = u.Scheme + "://" + u.Host
	}
	return shortened(text)
}

// firstOfPath is the first part of an address's path: what kind of page it is.
func firstOfPath(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return shortened("/" + first)
}

func shortened(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxReported {
		text = string(runes[:maxReported])
	}
	return text
}
