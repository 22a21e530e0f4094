import { useEffect } from 'react';
import { useLocation } from '../../kit/router/router';
import { beginning } from './beginning';
import { pageOfAddress } from './page-of-address';

/**
 * The document's title, description and canonical address. The server writes those of the page that was asked for into
 * its head; these follow the shopper from page to page.
 */
export function Title({ text, description = '' }: { text: string; description?: string }) {
  const { pathname, search } = useLocation();
  useEffect(() => {
    const canonical = document.head.querySelector<HTMLLinkElement>('link[rel="canonical"]');
    const page = pageOfAddress(search);
    const here = pathname.replace(/(.)\/+$/, '$1') + (page > 1 ? `?page=${page}` : '');
    if (canonical) canonical.href = new URL(here, canonical.href).href;
    document.title = text;
    let meta = document.head.querySelector<HTMLMetaElement>('meta[name="description"]');
    if (!meta) {
      meta = document.createElement('meta');
      meta.name = 'description';
      document.head.append(meta);
    }
    meta.content = beginning(description);
  }, [text, description, pathname, search]);
  return null;
}
