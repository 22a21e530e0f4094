import { Icon } from '../../kit/design/icon';
import { Link } from '../../kit/design/link';
import { pagesTexts } from '../texts/design';
import s from './pages.module.css';

/**
 * Links to the pages of a list: the ones beside the current, those around it, the first and the last. The page stands
 * in the address, whose other words stay.
 */
export function Pages({ last, current, search }: { last: number; current: number; search: string }) {
  if (last < 2) return null;
  const shown = Array.from({ length: last }, (_, at) => at + 1).filter(
    (page) => page === 1 || page === last || Math.abs(page - current) <= 2,
  );
  const to = (page: number) => {
    const next = new URLSearchParams(search);
    if (page === 1) next.delete('page');
    else next.set('page', String(page));
    return `?${next}`;
  };
  return (
    <nav aria-label={pagesTexts.label}>
      <ul className={s.pages}>
        {current > 1 ? (
          <li>
            <Link to={to(current - 1)} rel="prev" aria-label={pagesTexts.previous}>
              <Icon name="left" size={20} />
            </Link>
          </li>
        ) : null}
        {shown.flatMap((page, at) => {
          const gap = page - (shown[at - 1] ?? 0) > 1;
          return [
            ...(gap ? [<li key={`gap-${page}`}>{<span>…</span>}</li>] : []),
            <li key={page}>
              <Link
                to={to(page)}
                aria-label={pagesTexts.page(page)}
                aria-current={page === current ? 'page' : undefined}
              >
                {page}
              </Link>
            </li>,
          ];
        })}
        {current < last ? (
          <li>
            <Link to={to(current + 1)} rel="next" aria-label={pagesTexts.next}>
              <Icon name="right" size={20} />
            </Link>
          </li>
        ) : null}
      </ul>
    </nav>
  );
}
