package settings

import (
	"time"

	"shop/domain"
)

// Stream is the one stream of settings.
const Stream = "settings"

// Settings are the shop's settings of one version.
type Settings struct {
	// Email, Phone and Hours are how shoppers reach the shop; Phone and Hours may be empty.
	Email string `json:"email"`
	Phone string `json:"phone"`
	Hours Text   `json:"hours"`
	// LegalName, RegistrationNumber and Address are the seller's.
	LegalName          string `json:"legal_name"`
	RegistrationNumber string `json:"registration_number"`
	Address            Text   `json:"address"`
	// Pickup is where orders are picked up; empty: at Address.
	Pickup     Text   `json:"pickup"`
	SocialName string `json:"social_name"`
	SocialURL  string `json:"social_url"`
	// PrivacyURL and OfferURL lead to the documents; empty: there is none. OfferVersion is kept with each order that agreed to it.
	PrivacyURL   string `json:"privacy_url"`
	OfferURL     string `json:"offer_url"`
	OfferVersion string `json:"offer_version"`
	// Returns says what may be returned. It is the merchant's sentence, not the law's.
	Returns Text `json:"returns"`
	// NoDelivery are the days of the week without delivery, Monday 1 to Sunday 7, ascending; Holidays are single days.
	NoDelivery []int     `json:"no_delivery"`
	Holidays   []Holiday `json:"holidays"`
	// Menu and FooterMenu lead through the shop; empty: as DefaultMenu and DefaultFooterMenu have them.
	Menu       []MenuEntry `json:"menu,omitempty"`
	FooterMenu []MenuEntry `json:"footer_menu,omitempty"`
}

// Text is a text in Russian and Kazakh. Without a Kazakh one, Kazakh pages show the Russian.
type Text struct {
	RU string `json:"ru"`
	KK string `json:"kk"`
}

// Holiday is a day without delivery.
type Holiday struct {
	// Date is YYYY-MM-DD in Almaty.
	Date string `json:"date"`
	Name Text   `json:"name"`
}

// Event is a fact about the settings.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Changed replaced the settings; Version counts from 1.
type Changed struct {
	Version  int64     `json:"version"`
	Settings Settings  `json:"settings"`
	At       time.Time `json:"at"`
}

func (Changed) EventType() string { return "settings.changed" }
func (Changed) isEvent()          {}

// Withdrawn ended the settings in force: those of the configuration hold again.
type Withdrawn struct {
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
}

func (Withdrawn) EventType() string { return "settings.withdrawn" }
func (Withdrawn) isEvent()          {}
