package standalone

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"

	"shop/domain"
)

// Page is a template of html/template that shows its stylesheet with {{css}}. New makes one.
type Page struct {
	template *template.Template
	policy   string
}

// New panics when html is no template.
func New(name, html, css string) Page {
	sum := sha256.Sum256([]byte(css))
	functions := template.FuncMap{"css": func() template.CSS { return template.CSS(css) }}
	return Page{
		template: template.Must(template.New(name).Funcs(functions).Parse(html)),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	}
}

// Pages is a page in Russian and in Kazakh.
type Pages struct{ russian, kazakh Page }

// InBoth panics as New does.
func InBoth(name, russian, kazakh, css string) Pages {
	return Pages{New(name, russian, css), New(name+"-kk", kazakh, css)}
}

// In is the page in a language; Russian in any but Kazakh.
func (p Pages) In(language string) Page {
	if language == domain.Kazakh {
		return p.kazakh
	}
	return p.russian
}

// Write answers with the page. Nothing keeps it, and links on it tell nobody where they were.
func (p Page) Write(w http.ResponseWriter, status int, data any) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	if err := p.template.Execute(w, data); err != nil {
		return fmt.Errorf("write the page %s: %w", p.template.Name(), err)
	}
	return nil
}
