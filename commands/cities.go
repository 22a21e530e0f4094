package commands

import (
	"strings"

	"shop/domain"
	"shop/domain/rules"
)

// Cities know the cities of the country by all their spellings; readapi.Cities does.
type Cities interface {
	// City is the usual name of a city; false: there is none of that name.
	City(typed string) (name string, known bool)
}

// CityInClear is how the log names a city in clear: as the rules do, which deliver there, or as the country does, and
// domain.OtherCity for all else. No city stays none. Without Cities only those of the rules are known.
func CityInClear(cities Cities, r rules.Rules, typed string) string {
	if strings.TrimSpace(typed) == "" {
		return ""
	}
	if served, ok := r.DeliveryTo(typed); ok {
		return served.City
	}
	if cities != nil {
		if name, known := cities.City(typed); known {
			return name
		}
	}
	return domain.OtherCity
}
