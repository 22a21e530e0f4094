package document

import (
	"time"

	"shop/domain"
)

// The documents that there are.
const (
	Privacy = "privacy"
	Offer   = "offer"
)

// Names are all documents.
var Names = []string{Privacy, Offer}

// Stream names a document.
func Stream(name string) string { return "document-" + name }

// Text is a document in one language.
type Text struct {
	Title string `json:"title"`
	// Source is what HTML was made of, as somebody wrote it. Placeholders are filled in HTML alone.
	Source string `json:"source"`
	HTML   string `json:"html"`
}

// Event is a fact about a document.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Published put a version into force.
type Published struct {
	Name string `json:"name"`
	// Version is the day of publication in Almaty, with a number from the second of a day on: 2026-12-01, 2026-12-01-2.
	Version string `json:"version"`
	RU      Text   `json:"ru"`
	// KK is empty when there is no Kazakh text.
	KK Text      `json:"kk"`
	At time.Time `json:"at"`
}

// Withdrawn ended the version in force; it stays readable, and the document of the settings holds again.
type Withdrawn struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
}

func (Published) EventType() string { return "document.published" }
func (Published) isEvent()          {}

func (Withdrawn) EventType() string { return "document.withdrawn" }
func (Withdrawn) isEvent()          {}
