package projections

import (
	"strings"
	"time"

	"shop/domain"
	"shop/domain/document"
	"shop/eventstore"
)

// Documents are all versions of the texts that shoppers agree to, and which of them are in force.
func Documents() Projection {
	return Projection{Name: "documents", Tables: []AnyTable{documentVersions, documentsInForce}}
}

// DocumentVersion is a row of documents.version.
type DocumentVersion struct {
	// ID is the name and the version: offer/2026-12-01.
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Version     string    `json:"version"`
	Title       string    `json:"title"`
	HTML        string    `json:"html"`
	TitleKK     string    `json:"title_kk"`
	HTMLKK      string    `json:"html_kk"`
	PublishedAt time.Time `json:"published_at"`
}

var documentVersions = Table[DocumentVersion]{
	Name: "version", Key: "id", KeyType: "text",
	DDL:    createTable[DocumentVersion]("version", "id"),
	Events: []domain.Event{document.Published{}},
	Keys: func(e eventstore.Event) []string {
		if p, ok := e.Data.(document.Published); ok {
			return []string{p.Name + "/" + p.Version}
		}
		return nil
	},
	Stream: func(key string) string {
		name, _, _ := strings.Cut(key, "/")
		return document.Stream(name)
	},
	Fold: func(key string, r *DocumentVersion, event eventstore.Event) bool {
		// A row is one event's; whoever folds a whole stream meets those of other rows too.
		if e, ok := event.Data.(document.Published); ok && e.Name+"/"+e.Version == key {
			*r = DocumentVersion{key, e.Name, e.Version, e.RU.Title, e.RU.HTML, e.KK.Title, e.KK.HTML, e.At}
		}
		return r.ID != ""
	},
}

// DocumentInForce is a row of documents.current.
type DocumentInForce struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

var documentsInForce = Table[DocumentInForce]{
	Name: "current", Key: "name", KeyType: "text",
	DDL:    createTable[DocumentInForce]("current", "name"),
	Events: []domain.Event{document.Published{}, document.Withdrawn{}},
	Keys:   keyAfter("document-"), Stream: streamOf("document-"),
	Fold: func(key string, r *DocumentInForce, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case document.Published:
			*r = DocumentInForce{key, e.Version}
		case document.Withdrawn:
			return false
		}
		return true
	},
}
