// Package reply holds the texts that staff answer reviews with: templates with a name, kept together, in which {name} and {product}
// stand for the author and the product.
package reply
