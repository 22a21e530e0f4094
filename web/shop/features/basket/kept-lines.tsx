import { basketTexts } from '../../texts/basket';
import { BasketLines } from './basket-lines';
import s from './basket-lines.module.css';
import type { BasketLine } from './basket-store';

/**
 * A line of nothing, with a price as long as most are. Its picture only has to be one, in both formats: it is not fetched
 * while it stands hidden.
 */
const pattern: BasketLine = {
  id: '',
  link: '',
  name: '',
  package_size: '',
  article: '',
  price: 10_000,
  discounted_price: 10_000,
  amount: 0,
  picture: {
    src: '/favicon.svg',
    width: 640,
    height: 800,
    sources: ['image/avif', 'image/webp'].map((type) => ({ type, srcset: '/favicon.svg 1w' })),
  },
  main_image: null,
  kind: '',
  count: 1,
};

/**
 * Names and pictures of the basket as it was kept. The script in index.html draws them before any module runs, as copies
 * of a line that stands hidden. What works only with modules keeps its place and is not shown.
 */
export function KeptLines() {
  return (
    <>
      <div hidden data-line-pattern>
        <BasketLines lines={[pattern]} />
      </div>
      <ul
        className={s.list}
        aria-label={basketTexts.lines}
        data-kept-lines
        suppressHydrationWarning
        // biome-ignore lint/security/noDangerouslySetInnerHtml: empty; what the script has put in is not React's
        dangerouslySetInnerHTML={{ __html: '' }}
      />
    </>
  );
}
