package settings

import (
	"fmt"
	"slices"
	"strings"

	"shop/domain"
)

// maxMenu is how many entries a menu may have.
const maxMenu = 12

// ErrMenu: a menu is too long.
var ErrMenu = domain.Refuse("settings/menu", "A menu may have 12 entries.")

// MenuEntry leads from every page to a page of the shop, or elsewhere.
type MenuEntry struct {
	Text Text `json:"text"`
	// Address is a path of the shop's own, or https.
	Address string `json:"address"`
}

// DefaultMenu is the menu of the header while the settings have none.
func DefaultMenu() []MenuEntry {
	return []MenuEntry{
		{Text{"О нас", "Біз туралы"}, "/about"},
		{Text{"Каталог", "Каталог"}, "/categories"},
		{Text{"Бренды", "Брендтер"}, "/brands"},
		{Text{"Преимущества", "Артықшылықтар"}, "/#advantages"},
		{Text{"Блог", "Блог"}, "/news"},
		{Text{"Доставка и скидки", "Жеткізу және жеңілдіктер"}, "/dostavka-i-skidki"},
	}
}

// DefaultFooterMenu is the menu of the footer while the settings have none.
func DefaultFooterMenu() []MenuEntry {
	menu := []MenuEntry{{Text{"Все категории", "Барлық санат"}, "/categories"}}
	for _, e := range DefaultMenu() {
		if e.Address != menu[0].Address {
			menu = append(menu, e)
		}
	}
	return menu
}

// WithMenus are settings with the menus that shoppers see, also where the settings have none.
func (s Settings) WithMenus() Settings {
	if len(s.Menu) == 0 {
		s.Menu = DefaultMenu()
	}
	if len(s.FooterMenu) == 0 {
		s.FooterMenu = DefaultFooterMenu()
	}
	return s
}

// WithoutDefaultMenus are settings that leave out menus that are the default ones, as WithMenus adds them.
func (s Settings) WithoutDefaultMenus() Settings {
	if len(s.Menu) == 0 || slices.Equal(s.Menu, DefaultMenu()) {
		s.Menu = nil
	}
	if len(s.FooterMenu) == 0 || slices.Equal(s.FooterMenu, DefaultFooterMenu()) {
		s.FooterMenu = nil
	}
	return s
}

func checkMenu(field string, menu []MenuEntry) error {
	if len(menu) > maxMenu {
		return about(field, ErrMenu)
	}
	for i, e := range menu {
		entry := fmt.Sprintf("%s[%d]", field, i)
		if strings.TrimSpace(e.Text.RU) == "" {
			return about(entry+".text.ru", ErrMissing)
		}
		for _, text := range []struct{ language, line string }{{"ru", e.Text.RU}, {"kk", e.Text.KK}} {
			if !domain.TextFits(text.line, maxLine) || strings.ContainsAny(text.line, "\r\n") {
				return about(entry+".text."+text.language, ErrLine)
			}
		}
		if !domain.TextFits(e.Address, maxLine) {
			return about(entry+".address", ErrLine)
		}
		if !domain.PublicAddress(e.Address) {
			return about(entry+".address", ErrAddress)
		}
	}
	return nil
}
