import { useEffect } from 'react';

/**
 * The document's title, description and canonical address. The server writes those of the page that was asked for into
 * its head; these follow the shopper from page to page.
 */
export function Title({ text, description = '' }: { text: string; description?: string }) {
  useEffect(() => {
    const canonical = document.head.querySelector<HTMLLinkElement>('link[rel="canonical"]');
    const here = location.pathname.replace(/(.)\/+$/, '$1');
    if (canonical && new URL(canonical.href).pathname !== here)
      canonical.href = new URL(here, canonical.href).href;
    if (document.title === text) return; // as the server wrote it, with its description
    document.title = text;
    const meta = document.head.querySelector<HTMLMetaElement>('meta[name="description"]');
    if (meta) meta.content = description;
  }, [text, description]);
  return null;
}
