import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../kit/design/button';
import { Breadcrumbs } from '../design/breadcrumbs';
import { Heading, Page } from '../design/layout';
import { LoadError, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { pageQueries } from '../features/content/page-queries';
import { partsOf } from '../features/content/page-text';
import { shopName } from '../features/content/shop-name';
import { sanitised } from '../features/post/sanitised';
import { aboutTexts } from '../texts/content';
import { designTexts } from '../texts/design';
import s from './about.module.css';

const t = aboutTexts;

/** What staff say of the shop: what comes first, and a panel for each heading. */
export default function AboutPage() {
  const page = useQuery(pageQueries.text('about'));
  const { parts, lang } = partsOf(page.data);
  return (
    <Page>
      <Title text={`${t.title} — ${shopName()}`} description={t.lead} />
      <Breadcrumbs trail={[]} here={t.title} />
      <Heading title={t.title} />
      {page.isLoadingError ? <LoadError retry={() => page.refetch()} /> : null}
      {page.isPending ? (
        <div className={s.lead} role="status" aria-label={designTexts.loading}>
          <Skeleton kind="tile" />
        </div>
      ) : null}
      {parts.map((html) => (
        <section
          key={html}
          className={html.startsWith('<h2') ? s.story : s.lead}
          lang={lang}
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the shop sanitises a page when it is written
          dangerouslySetInnerHTML={{ __html: sanitised(html) }}
        />
      ))}
      <div className={s.ways}>
        <ButtonLink to="/categories">{t.toCatalog}</ButtonLink>
        <ButtonLink kind="line" to="/news">
          {t.toNews}
        </ButtonLink>
      </div>
    </Page>
  );
}
