package readapi

import (
	"context"
	"fmt"
	"net/http"

	"shop/readapi/replicas"
)

// Shop answers the shop's name, contacts, documents and ways of payment.
type Shop struct {
	// DB has the published settings; nil: there are none.
	DB replicas.DB
	// Stated is what the configuration says. Its name and ways of payment always hold, the rest until settings are published.
	Stated ShopView
}

// ShopView is the shop as shoppers see it. The fields that end in _kk are Kazakh; empty ones are as in Russian.
type ShopView struct {
	Name               string `json:"name"`
	Email              string `json:"email"`
	Phone              string `json:"phone"`
	Hours              string `json:"hours"`
	HoursKK            string `json:"hours_kk"`
	LegalName          string `json:"legal_name"`
	RegistrationNumber string `json:"registration_number"`
	Address            string `json:"address"`
	AddressKK          string `json:"address_kk"`
	Pickup             string `json:"pickup_address"`
	PickupKK           string `json:"pickup_address_kk"`
	SocialName         string `json:"social_name"`
	SocialURL          string `json:"social_url"`
	PrivacyURL         string `json:"privacy_url"`
	OfferURL           string `json:"offer_url"`
	OfferVersion       string `json:"offer_version"`
	Returns            string `json:"returns"`
	ReturnsKK          string `json:"returns_kk"`
	// Menu leads through the shop from the header, FooterMenu from the footer.
	Menu       []MenuWay `json:"menu"`
	FooterMenu []MenuWay `json:"footer_menu"`
	// PaymentMethods are the ways to pay that the payment provider really has, and CASH.
	PaymentMethods []string `json:"payment_methods"`
}

// MenuWay is an entry of a menu.
type MenuWay struct {
	Text    string `json:"text"`
	TextKK  string `json:"text_kk"`
	Address string `json:"address"`
}

// publishedMenu is a menu of published settings.
type publishedMenu []struct {
	Text    inBoth `json:"text"`
	Address string `json:"address"`
}

// or is the menu as shoppers see it; the stated one when none was published.
func (m publishedMenu) or(stated []MenuWay) []MenuWay {
	if len(m) == 0 {
		return stated
	}
	ways := make([]MenuWay, len(m))
	for i, e := range m {
		ways[i] = MenuWay{e.Text.RU, e.Text.KK, e.Address}
	}
	return ways
}

// inBoth is a text in Russian and Kazakh.
type inBoth struct{ RU, KK string }

// Show is GET /api/shop/.
func (s Shop) Show(r *http.Request) (*Reply, error) {
	view, err := s.view(r.Context())
	if err != nil {
		return nil, err
	}
	return replyWith(revalidate, view, Part{"settings", ""}, Part{"documents", ""})
}

// DocumentFile is the address of a document's PDF.
func DocumentFile(name string) string { return "/documents/" + name + ".pdf" }

func (s Shop) view(ctx context.Context) (ShopView, error) {
	view := s.Stated
	if s.DB != nil {
		var said *struct {
			ShopView
			Hours   inBoth `json:"hours"`
			Address inBoth `json:"address"`
			Pickup  inBoth `json:"pickup"`
			Returns inBoth `json:"returns"`

			Menu       publishedMenu `json:"menu"`
			FooterMenu publishedMenu `json:"footer_menu"`
		}
		var offer, privacy *string
		err := s.DB.QueryRow(ctx, `SELECT (SELECT settings FROM settings.current), (SELECT version FROM documents.current WHERE name = 'offer'),
			(SELECT version FROM documents.current WHERE name = 'privacy')`).Scan(&said, &offer, &privacy)
		if err != nil {
			return view, fmt.Errorf("read settings: %w", err)
		}
		if said != nil {
			said.ShopView.Name, said.PaymentMethods = view.Name, view.PaymentMethods
			said.ShopView.Menu, said.ShopView.FooterMenu = said.Menu.or(view.Menu), said.FooterMenu.or(view.FooterMenu)
			view = said.ShopView
			view.Hours, view.HoursKK = said.Hours.RU, said.Hours.KK
			view.Address, view.AddressKK = said.Address.RU, said.Address.KK
			view.Pickup, view.PickupKK = said.Pickup.RU, said.Pickup.KK
			view.Returns, view.ReturnsKK = said.Returns.RU, said.Returns.KK
		}
		if offer != nil { // texts that staff published come before addresses
			view.OfferURL, view.OfferVersion = DocumentFile("offer"), *offer
		}
		if privacy != nil {
			view.PrivacyURL = DocumentFile("privacy")
		}
	}
	if view.Pickup == "" {
		view.Pickup, view.PickupKK = view.Address, view.AddressKK
	}
	return view, nil
}
