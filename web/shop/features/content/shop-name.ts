let name: string | undefined;

/** Names the shop where there is no document: on the server. */
export function nameShop(given: string): void {
  name = given;
}

/** The storefront's name as the server put it into the page's head; «Дала» when it did not. */
export function shopName(): string {
  const meta =
    typeof document === 'undefined' ? null : document.querySelector('meta[name="application-name"]');
  return meta?.getAttribute('content') || name || 'Дала';
}
