import { classes } from '../../kit/design/classes';
import { Icon } from '../../kit/design/icon';
import { Link } from '../../kit/design/link';
import { breadcrumbsTexts } from '../texts/design';
import s from './breadcrumbs.module.css';

export type Crumb = { to: string; text: string; lang?: string };

/**
 * The way from the home page to here; the last word, without a link, is this page. With back, narrow screens show only
 * the way one step back. The steps after the first are called as the catalog calls them, which is in Russian
 * unless lang says otherwise.
 */
export function Breadcrumbs({
  trail,
  here,
  lang,
  back = false,
}: {
  trail: Crumb[];
  here?: string;
  /** Of here. */
  lang?: string;
  back?: boolean;
}) {
  const before = back ? trail.at(-1) : undefined;
  return (
    <nav aria-label={breadcrumbsTexts.label}>
      {before ? (
        <Link className={s.back} to={before.to} aria-label={breadcrumbsTexts.back(before.text)}>
          <Icon name="left" size={20} />
          {before.text}
        </Link>
      ) : null}
      <ol className={classes(s.crumbs, before && s.wide)}>
        <li>
          <Link to="/">{breadcrumbsTexts.home}</Link>
        </li>
        {trail.map((crumb, at) => (
          <li key={crumb.to} lang={crumb.lang ?? (at > 0 ? 'ru' : undefined)}>
            <Link to={crumb.to}>{crumb.text}</Link>
          </li>
        ))}
        {here ? (
          <li aria-current="page" lang={lang ?? (trail.length > 0 ? 'ru' : undefined)}>
            {here}
          </li>
        ) : null}
      </ol>
    </nav>
  );
}
