// Package standin puts temporary tables of one connection in the place of the tables of read models: statements name tables as they do
// everywhere, and are written anew to ask the stand-ins.
package standin
