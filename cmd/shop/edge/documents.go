package edge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"shop/cmd/shop/pages"
	"shop/domain"
	"shop/readapi"
	"shop/readapi/endpoint"
	"shop/readapi/papers"
)

// keptFiles is how many PDFs of documents are kept: two documents in two languages, and some former versions.
const keptFiles = 16

// documentFiles serves the documents as PDF.
type documentFiles struct {
	documents readapi.Documents
	kept      *lru.Cache[string, []byte]
}

func newDocumentFiles(d readapi.Documents) documentFiles {
	kept, _ := lru.New[string, []byte](keptFiles) // fails only for sizes below 1
	return documentFiles{d, kept}
}

// serve is GET /documents/{name}.pdf, the version in force, and GET /documents/{name}/{version}.pdf, in the language of the visitor or of ?lang=.
func (f documentFiles) serve(w http.ResponseWriter, r *http.Request) error {
	found, err := f.documents.Find(r.Context(), readapi.Clean(r.PathValue("name"), 50), readapi.Clean(r.PathValue("version"), 50))
	if err != nil {
		return err
	}
	language := cmp.Or(r.URL.Query().Get("lang"), pages.LanguageOf(r))
	doc := paperOf(found, f.documents.Shop.Stated.Name, language == domain.Kazakh)
	sum := sha256.Sum256(fmt.Append(nil, doc))
	tag := hex.EncodeToString(sum[:12])
	file, ok := f.kept.Get(tag)
	if !ok {
		if file, err = doc.Print(); err != nil {
			return err
		}
		f.kept.Add(tag, file)
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Add("Vary", "Cookie")
	h.Set("ETag", `"`+tag+`"`)
	if endpoint.SameTag(r.Header.Get("If-None-Match"), `"`+tag+`"`) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "application/pdf")
	h.Set("Content-Disposition", fmt.Sprintf(`inline; filename="%s-%s.pdf"`, found.Name, found.Version))
	h.Set("Content-Length", strconv.Itoa(len(file)))
	w.Write(file) // an error means that the browser is gone
	return nil
}

// paperOf is a version of a document in a language; without a Kazakh text it is the Russian one.
func paperOf(d readapi.Document, shop string, kazakh bool) papers.Document {
	date := d.Date
	if at, err := time.Parse(time.DateOnly, d.Date); err == nil {
		date = at.Format("02.01.2006")
	}
	doc := papers.Document{Shop: shop, Title: d.Title, Version: d.Version, Date: d.Date, Language: "ru", HTML: d.Text, Edition: "Редакция " + d.Version + " от " + date}
	if kazakh && d.TextKK != "" {
		doc.Title, doc.HTML, doc.Language = d.TitleKK, d.TextKK, "kk"
		doc.Edition = date + " күнгі " + d.Version + " редакциясы"
	}
	return doc
}

// formerly are where the documents were before the program made them; settings of that time name them.
var formerly = map[string]string{"/privacy.pdf": readapi.DocumentFile("privacy"), "/offer.pdf": readapi.DocumentFile("offer")}

func moved(to string) http.Handler {
	return http.RedirectHandler(to, http.StatusMovedPermanently)
}
