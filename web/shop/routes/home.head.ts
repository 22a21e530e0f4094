import { contentQueries } from '../features/content/content-queries';
import { shopName } from '../features/content/shop-name';
import { homeTexts } from '../texts/home';
import type { HeadOf } from './head';
import narrow480 from './hero/narrow-480.avif';
import narrow800 from './hero/narrow-800.avif';
import wide1200 from './hero/wide-1200.avif';
import wide1200webp from './hero/wide-1200.webp';
import wide1600 from './hero/wide-1600.avif';

const hero = { type: 'image/avif', sizes: '100vw' };

export const head: HeadOf = ({ path, origin, read }) => {
  const shop = read(contentQueries.shop().queryKey);
  const organization = `${origin}/#organization`;
  return {
    title: `${shopName()} — ${homeTexts.title}`,
    description: homeTexts.description,
    path,
    picture: { src: wide1200webp },
    facts: [
      {
        '@type': 'Organization',
        '@id': organization,
        name: shopName(),
        url: `${origin}/`,
        logo: `${origin}/favicon.svg`,
        email: shop?.email,
        telephone: shop?.phone,
        legalName: shop?.legal_name,
        address: shop?.address,
      },
      {
        '@type': 'WebSite',
        name: shopName(),
        url: `${origin}/`,
        inLanguage: ['ru', 'kk'],
        publisher: { '@id': organization },
      },
    ],
    // The picture by the width that it is chosen by.
    preloads: [
      { ...hero, srcset: `${narrow480} 480w, ${narrow800} 800w`, media: '(width < 61.875em)' },
      { ...hero, srcset: `${wide1200} 1200w, ${wide1600} 1600w`, media: '(width >= 61.875em)' },
    ],
  };
};
