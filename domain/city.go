package domain

// OtherCity stands in the log for a city that the shop does not know by its name: what shoppers type may be an address. The
// words themselves are sealed with the address of the order, and not kept of a basket.
const OtherCity = "Другой город"
