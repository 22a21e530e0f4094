package domain

import "shop/domain/kz"

// Almaty is the shop's time zone.
var Almaty = kz.Almaty
