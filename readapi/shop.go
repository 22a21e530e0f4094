package readapi

import "net/http"

// Shop is the shop's name and contacts, from the configuration.
type Shop struct {
	Name               string `json:"name"`
	Email              string `json:"email"`
	Phone              string `json:"phone"`
	Hours              string `json:"hours"`
	LegalName          string `json:"legal_name"`
	RegistrationNumber string `json:"registration_number"`
	Address            string `json:"address"`
	SocialName         string `json:"social_name"`
	SocialURL          string `json:"social_url"`
	PrivacyURL         string `json:"privacy_url"`
	OfferURL           string `json:"offer_url"`
}

// Show is GET /api/shop/.
func (s Shop) Show(*http.Request) (*Reply, error) {
	return replyWith(revalidate, s)
}
