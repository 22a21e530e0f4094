// Package payments is the shop's side of taking money: the Provider port; the sandbox, a test bank whose page decides the
// result; CloudPayments; and Books, the ledger of the shop's calls to a provider.
//
// A payment has an id of the shop's own, ID(order, attempt), and it is the provider's invoice. A KASPI_BILL is a payment like
// any other, but the bill goes to the payer's phone and is valid for a day: the provider gets the phone, and asks the shop
// before it takes money (Asked). The shop refuses after PayBefore. For money that arrives later see commands.Orders.Settle.
package payments
