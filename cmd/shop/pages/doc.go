// Package pages renders the storefront's pages before a browser asks for data, keeps what it rendered, and writes the site
// map and the market feeds.
//
// How a page looks is in web; which data it is made of comes from readapi.
package pages
