// Package restock is the waiting list of one product that is out of stock, in the order customers subscribed.
//
// When pieces are free again everyone on the list is notified, in order, once each, and their subscription is closed;
// they may subscribe again when the product is gone again. The list holds customers and no e-mail: who sends the letter
// asks for the address of the moment, so that nothing here is personal.
package restock
