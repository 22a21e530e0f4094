import type { Document, PageText, Teaser, TeaserText } from '../../api/types';
import { designTexts } from '../../texts/design';

/** The parts of a page in the language of the shop, or in Russian, which then says so. */
export function partsOf(page: PageText | undefined): {
  parts: string[];
  lang?: string;
} {
  if (!page) return { parts: [] };
  return designTexts.language === 'kk' && page.text_kk.length > 0
    ? { parts: page.text_kk }
    : { parts: page.text, lang: 'ru' };
}

/** A teaser in the language of the shop, or in Russian, which then says so. */
export function teaserOf(found: TeaserText | undefined): { teaser?: Teaser; lang?: string } {
  if (!found) return {};
  return designTexts.language === 'kk' && found.text_kk
    ? { teaser: found.text_kk }
    : { teaser: found.text, lang: 'ru' };
}

/** A document in the language of the shop, or in Russian, which then says so. */
export function documentIn(found: Document | undefined): { title: string; html: string; lang?: string } {
  if (!found) return { title: '', html: '' };
  return designTexts.language === 'kk' && found.text_kk
    ? { title: found.title_kk, html: found.text_kk }
    : { title: found.title, html: found.text, lang: 'ru' };
}
