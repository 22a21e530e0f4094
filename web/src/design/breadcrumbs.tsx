import { breadcrumbsTexts } from '../texts/design';
import s from './breadcrumbs.module.css';
import { Link } from './link';

export type Crumb = { to: string; text: string };

/** The way from the home page to here; the last word, without a link, is this page. */
export function Breadcrumbs({ trail, here }: { trail: Crumb[]; here?: string }) {
  return (
    <nav aria-label={breadcrumbsTexts.label}>
      <ol className={s.crumbs}>
        <li>
          <Link to="/">{breadcrumbsTexts.home}</Link>
        </li>
        {trail.map((crumb) => (
          <li key={crumb.to}>
            <Link to={crumb.to}>{crumb.text}</Link>
          </li>
        ))}
        {here ? <li aria-current="page">{here}</li> : null}
      </ol>
    </nav>
  );
}
