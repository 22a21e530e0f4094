// Writes the list of the storefront's pages, as web/shop/app/pages.ts says it, for the server and the service worker.
import { readFileSync, writeFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';

const built = (name) => new URL(`../dist/.vite/${name}`, import.meta.url);
// The storefront's script for the server needs nothing but the language.
const storefront = createContext({});
runInContext(readFileSync(built('server.js'), 'utf8'), storefront);
writeFileSync(built('pages.json'), `${runInContext('list()', storefront)}\n`);
