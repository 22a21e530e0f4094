// Package basket remembers what an anonymous visitor asked the price of, and whether it became an order.
package basket
