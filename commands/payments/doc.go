// Package payments is the shop's side of taking money: the Provider port; the sandbox, a bank that says what the person
// on its page tells it to; CloudPayments; and Books, what the shop remembers of its calls to a provider.
//
// A payment has an id of the shop's own, ID(order, attempt), and it is the provider's invoice. A KASPI_BILL is a payment
// like any other that goes to the payer's phone and has a day: the provider is told the phone, and asks the shop before
// it takes money (Asked), which says no once PayBefore has passed. Money that comes all the same is not lost, see
// commands.Orders.Settle.
package payments
