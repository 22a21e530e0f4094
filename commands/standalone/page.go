package standalone

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"

	"shop/domain"
)

// layout is what all pages have around their templates "title" and "main".
//
//go:embed layout.html
var layout string

// Page is a page in one language.
type Page struct {
	template *template.Template
	policy   string
}

func newPage(name, language, html, css string) Page {
	sum := sha256.Sum256([]byte(css))
	functions := template.FuncMap{
		"language": func() string { return language },
		"css":      func() template.CSS { return template.CSS(css) },
	}
	return Page{
		template: template.Must(template.Must(template.New(name).Funcs(functions).Parse(layout)).Parse(html)),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	}
}

// Pages is a page in Russian and in Kazakh.
type Pages struct{ russian, kazakh Page }

// InBoth makes a page of templates of html/template, each of which defines "title" and "main", and of the stylesheet of both. It panics when
// one is no template.
func InBoth(name, russian, kazakh, css string) Pages {
	return Pages{newPage(name, "ru", russian, css), newPage(name+"-kk", domain.Kazakh, kazakh, css)}
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
