// Package restock is the waiting list of one product that is out of stock, in the order customers subscribed.
//
// When pieces are free again everyone on the list is notified, in order, once each, and their subscription is closed;
// they may subscribe again when the product is sold out again. The list holds customer ids and no e-mails: the sender of the
// letter looks up the present address, so nothing here is personal.
package restock
