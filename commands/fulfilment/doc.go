// Package fulfilment is what happens to an order between the warehouse and the customer: packing, couriers, carriers, and the cash
// that couriers hand in.
package fulfilment
