package readapi

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

//go:embed documents/*.html
var documentFiles embed.FS

// builtIn are the titles of the documents that the program has. They hold while staff published no text of their own. A machine made
// what is in Kazakh; each text says that the Russian one decides.
var builtIn = map[string]inBoth{
	"privacy": {"Политика конфиденциальности", "Құпиялылық саясаты"}, "offer": {"Публичная оферта", "Жария оферта"},
}

// builtInVersion and builtInDate are of the texts in documentFiles.
const (
	builtInVersion = "2026-11"
	builtInDate    = "2026-11-28"
)

// Documents answers the texts that shoppers agree to, and all their versions.
type Documents struct {
	DB   replicas.DB
	Shop Shop
}

// Document is a version of a text that shoppers agree to. Without a Kazakh text, Kazakh pages show the Russian one.
type Document struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Date is the day in Almaty on which the version was published, YYYY-MM-DD.
	Date    string `json:"date"`
	Title   string `json:"title"`
	TitleKK string `json:"title_kk"`
	Text    string `json:"text"`
	TextKK  string `json:"text_kk"`
	// Current: the version is in force. Versions are all that were published, the newest first.
	Current  bool              `json:"current"`
	Versions []DocumentVersion `json:"versions"`
}

// DocumentVersion is a version in the list of all.
type DocumentVersion struct {
	Version string `json:"version"`
	Date    string `json:"date"`
}

// Show is GET /api/documents/{name}/?version=: the version in force without one.
func (h Documents) Show(r *http.Request) (*Reply, error) {
	d, err := h.Find(r.Context(), Clean(param(r, "name"), 50), Clean(r.URL.Query().Get("version"), 50))
	if err != nil {
		return nil, err
	}
	return replyWith(revalidate, d, Part{"documents", ""}, Part{"settings", ""})
}

// Find is a version of a document; an empty version is the one in force. ErrNotFound: there is none.
func (h Documents) Find(ctx context.Context, name, version string) (Document, error) {
	if builtIn[name].RU == "" {
		return Document{}, ErrNotFound
	}
	d := Document{Name: name, Versions: []DocumentVersion{}}
	var inForce *string
	err := h.DB.QueryRow(ctx, `SELECT (SELECT c.version FROM documents.current c WHERE c.name = @name),
		(SELECT coalesce(json_agg(json_build_object('version', v.version, 'date', to_char(v.published_at AT TIME ZONE 'Asia/Almaty', 'YYYY-MM-DD'))
			ORDER BY v.published_at DESC, v.version DESC), '[]') FROM documents.version v WHERE v.name = @name)`,
		pgx.NamedArgs{"name": name}).Scan(&inForce, &d.Versions)
	if err != nil {
		return Document{}, fmt.Errorf("read the versions of %s: %w", name, err)
	}
	switch {
	case version == "" && inForce != nil:
		version = *inForce
	case version == "" || version == builtInVersion:
		return h.builtIn(ctx, d, inForce == nil)
	}
	d.Current = inForce != nil && version == *inForce
	err = h.DB.QueryRow(ctx, `SELECT version, to_char(published_at AT TIME ZONE 'Asia/Almaty', 'YYYY-MM-DD'), title, title_kk, html, html_kk
		FROM documents.version WHERE id = @id`, pgx.NamedArgs{"id": name + "/" + version}).
		Scan(&d.Version, &d.Date, &d.Title, &d.TitleKK, &d.Text, &d.TextKK)
	if errors.Is(err, pgx.ErrNoRows) {
		return Document{}, ErrNotFound
	}
	if err != nil {
		return Document{}, fmt.Errorf("read %s of version %s: %w", name, version, err)
	}
	return d, nil
}

// builtIn fills in the text that the program has, with what the shop says of itself now.
func (h Documents) builtIn(ctx context.Context, d Document, current bool) (Document, error) {
	shop, err := h.Shop.view(ctx)
	if err != nil {
		return Document{}, err
	}
	d.Version, d.Date, d.Current = builtInVersion, builtInDate, current
	d.Title, d.Text = BuiltInDocument(d.Name, false, shop)
	d.TitleKK, d.TextKK = BuiltInDocument(d.Name, true, shop)
	return d, nil
}

// BuiltInDocument is the text that the program has of a document, as HTML, about a shop: in Kazakh, or else in Russian. A document that it does
// not have is empty.
func BuiltInDocument(name string, inKazakh bool, shop ShopView) (title, text string) {
	title, file, address := builtIn[name].RU, name+".html", shop.Address
	if inKazakh {
		title, file, address = builtIn[name].KK, name+"-kk.html", cmp.Or(shop.AddressKK, shop.Address)
	}
	read, err := documentFiles.ReadFile("documents/" + file)
	if err != nil {
		return "", ""
	}
	return title, filledIn(string(read), shop, address)
}

// filledIn is a text of the program's with the facts of a shop.
func filledIn(text string, shop ShopView, address string) string {
	seller := []string{shop.LegalName}
	if shop.RegistrationNumber != "" {
		seller = append(seller, shop.RegistrationNumber)
	}
	seller = append(seller, address)
	return strings.TrimSpace(strings.NewReplacer("{seller}", html.EscapeString(strings.Join(seller, ", ")), "{email}", html.EscapeString(shop.Email),
		"{version}", builtInVersion, "{date}", mustDay(builtInDate)).Replace(text))
}

// mustDay writes a day of the program's own for people: 23.11.2026.
func mustDay(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return at.Format("02.01.2006")
}
