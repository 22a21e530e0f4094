package order

import "strings"

// Carrier is a firm that the shop hands parcels to.
type Carrier struct {
	// Code is its name in events and files, Name what people call it.
	Code, Name string
	// link is where a parcel is followed; {} stands for its number.
	link string
}

// Carriers are those whose pages the shop can lead to. Another carrier may be named in words and has no link.
var Carriers = []Carrier{
	{"kazpost", "Казпочта", "https://post.kz/mail/search/track/{}/detail"},
	{"cdek", "СДЭК", "https://www.cdek.ru/ru/tracking/?order_id={}"},
	{"dhl", "DHL", "https://www.dhl.com/kz-ru/home/tracking.html?tracking-id={}"},
}

// CarrierOf is a carrier by its code or its name, whatever the case; one that is not known is called as it was.
func CarrierOf(name string) Carrier {
	name = strings.TrimSpace(name)
	for _, c := range Carriers {
		if strings.EqualFold(c.Code, name) || strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return Carrier{Code: name, Name: name}
}

// TrackingURL is the page at which a parcel is followed; empty for a carrier that the shop knows no page of,
// and for what is no number.
func (c Carrier) TrackingURL(number string) string {
	if c.link == "" || !isTracking(number) {
		return ""
	}
	return strings.ReplaceAll(c.link, "{}", number)
}
