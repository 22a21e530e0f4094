import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../kit/api/problem';
import { Link } from '../../kit/design/link';
import { useLocation, useParams } from '../../kit/router/router';
import { Breadcrumbs } from '../design/breadcrumbs';
import { formatDate } from '../design/format';
import { Heading, Page } from '../design/layout';
import { LoadError, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { pageQueries } from '../features/content/page-queries';
import { documentIn } from '../features/content/page-text';
import { shopName } from '../features/content/shop-name';
import { sanitised } from '../features/post/sanitised';
import { documentTexts } from '../texts/content';
import { designTexts } from '../texts/design';
import s from './document.module.css';
import { NotFound } from './not-found';

const t = documentTexts;

/** A text that shoppers agree to: the version in force, or the one that an order kept. */
export default function DocumentPage() {
  const { id = '' } = useParams();
  const version = new URLSearchParams(useLocation().search).get('version') ?? '';
  const { data, error, isLoadingError, refetch } = useQuery(pageQueries.document(id, version));
  if (error instanceof Problem && error.status === 404) return <NotFound />;
  const { title, html, lang } = documentIn(data);
  return (
    <Page>
      <Breadcrumbs trail={[]} here={title} />
      {isLoadingError ? <LoadError retry={() => refetch()} /> : null}
      {data ? (
        <>
          <Title text={`${title} — ${shopName()}`} description={t.description(title)} />
          <Heading title={title} />
          <p className={s.edition}>
            {t.edition(data.version, formatDate(data.date))}
            {data.current ? null : (
              <>
                {' '}
                {t.former} <Link to={`/documents/${data.name}`}>{t.current}</Link>
              </>
            )}
            <a
              href={`/documents/${data.name}${data.current ? '' : `/${data.version}`}.pdf${lang ? '' : '?lang=kk'}`}
            >
              {t.file}
            </a>
          </p>
          <div
            className={s.text}
            lang={lang}
            // biome-ignore lint/security/noDangerouslySetInnerHtml: the shop sanitises a document when it is written
            dangerouslySetInnerHTML={{ __html: sanitised(html) }}
          />
          {data.versions.length > 1 ? (
            <section className={s.versions}>
              <h2>{t.versions}</h2>
              <ul>
                {data.versions.map((one) => (
                  <li key={one.version}>
                    <Link to={`/documents/${data.name}?version=${one.version}`}>
                      {t.edition(one.version, formatDate(one.date))}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ) : null}
        </>
      ) : isLoadingError ? null : (
        <div role="status" aria-label={designTexts.loading}>
          <Skeleton kind="tile" />
        </div>
      )}
    </Page>
  );
}
