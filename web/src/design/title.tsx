import { useEffect } from 'react';

/**
 * The document's title and description. The server writes those of the page that was asked for into its head; these
 * follow the shopper from page to page.
 */
export function Title({ text, description = '' }: { text: string; description?: string }) {
  useEffect(() => {
    document.title = text;
    const meta = document.head.querySelector<HTMLMetaElement>('meta[name="description"]');
    if (meta) meta.content = description;
  }, [text, description]);
  return null;
}
