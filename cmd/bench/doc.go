// Command bench measures the product beside the limit of its database and of net/http, in one run.
//
// The machine is shared and noisy, so only ratios within a run count: limit and product alternate, several rounds
// each, and the median ratio is printed with both rates. Nothing here fails on time.
package main
