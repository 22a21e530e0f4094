package app

import (
	"context"

	"shop/commands/mail"
	"shop/domain"
	"shop/domain/settings"
	"shop/readapi"
)

// settings are what the configuration says; they hold until staff publish settings.
func (c Config) settings() settings.Settings {
	s := settings.Default()
	at := c.Contact
	s.Email, s.Phone, s.Hours.RU = at.Email, at.Phone, at.Hours
	if at.Hours == defaultHours {
		s.Hours.KK = "күн сайын 10:00-ден 19:00-ге дейін"
	}
	s.LegalName, s.RegistrationNumber, s.Address.RU = at.LegalName, at.RegistrationNumber, at.Address
	s.SocialName, s.SocialURL, s.PrivacyURL, s.OfferURL = at.SocialName, at.SocialURL, at.PrivacyURL, at.OfferURL
	return s
}

// ShopView is the shop as shoppers see it before staff publish settings, with the ways to pay that there are.
func (c Config) ShopView(methods []domain.PaymentMethod) readapi.ShopView {
	s := c.settings()
	view := readapi.ShopView{
		Name: c.Contact.Name, Email: s.Email, Phone: s.Phone, Hours: s.Hours.RU, HoursKK: s.Hours.KK,
		LegalName: s.LegalName, RegistrationNumber: s.RegistrationNumber, Address: s.Address.RU, AddressKK: s.Address.KK,
		SocialName: s.SocialName, SocialURL: s.SocialURL, PrivacyURL: s.PrivacyURL, OfferURL: s.OfferURL, OfferVersion: s.OfferVersion,
		Returns: s.Returns.RU, ReturnsKK: s.Returns.KK, PaymentMethods: []string{},
	}
	s = s.WithMenus()
	view.Menu, view.FooterMenu = waysOf(s.Menu), waysOf(s.FooterMenu)
	for _, m := range methods {
		view.PaymentMethods = append(view.PaymentMethods, string(m))
	}
	return view
}

func waysOf(menu []settings.MenuEntry) (ways []readapi.MenuWay) {
	for _, e := range menu {
		ways = append(ways, readapi.MenuWay{Text: e.Text.RU, TextKK: e.Text.KK, Address: e.Address})
	}
	return ways
}

// sender is the shop as letters show it.
func (c Config) sender(s settings.Settings) mail.Shop {
	return mail.Shop{
		Name: c.Contact.Name, Email: s.Email, Phone: s.Phone, Hours: s.Hours.RU, LegalName: s.LegalName,
		RegistrationNumber: s.RegistrationNumber, Address: s.Address.RU, SocialName: s.SocialName, SocialURL: s.SocialURL,
		HoursKK: s.Hours.KK, AddressKK: s.Address.KK,
	}
}

// sender is the shop as letters show it now.
func (s *Shop) sender(ctx context.Context) (mail.Shop, error) {
	now, err := s.Settings.Show(ctx)
	return s.Config.sender(now.Settings), err
}
