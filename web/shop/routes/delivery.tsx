import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PageText, Rules, Shop } from '../api/types';
import { Breadcrumbs } from '../design/breadcrumbs';
import { formatDate, formatMoney, spoken } from '../design/format';
import { Heading, Page } from '../design/layout';
import { LoadError, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { contentQueries } from '../features/content/content-queries';
import { pageQueries } from '../features/content/page-queries';
import { partsOf } from '../features/content/page-text';
import { shopName } from '../features/content/shop-name';
import { sanitised } from '../features/post/sanitised';
import { deliveryTexts } from '../texts/content';
import { designTexts } from '../texts/design';
import s from './delivery.module.css';

const t = deliveryTexts;

/** Discounts and delivery, and what staff say beside them. Every number comes from the shop rules, so this page and the checkout always agree. */
export default function DeliveryPage() {
  const rules = useQuery(contentQueries.rules());
  const shop = useQuery(contentQueries.shop()).data;
  const page = useQuery(pageQueries.text('delivery')).data;
  return (
    <Page>
      <Title text={`${t.title} — ${shopName()}`} description={t.description} />
      <Breadcrumbs trail={[]} here={t.title} />
      <Heading title={t.title} />
      {rules.isLoadingError ? <LoadError retry={() => rules.refetch()} /> : null}
      {rules.isPending ? (
        <div className={s.parts} role="status" aria-label={designTexts.loading}>
          <Skeleton kind="tile" />
          <Skeleton kind="tile" />
          <Skeleton kind="tile" />
          <Skeleton kind="tile" />
        </div>
      ) : null}
      {rules.data ? <Terms rules={rules.data} shop={shop} page={page} /> : null}
    </Page>
  );
}

function Terms({ rules, shop, page }: { rules: Rules; shop?: Shop; page?: PageText }) {
  const dates = rules.no_delivery_dates
    .map(({ date, name, name_kk }) =>
      [formatDate(date), spoken(name, name_kk).children].filter(Boolean).join(' — '),
    )
    .join(', ');
  const { parts, lang } = partsOf(page);
  const days = rules.no_delivery_weekdays.map((day) => t.weekdays[day - 1]).join(', ');
  return (
    <div className={s.parts}>
      <Part title={t.discounts}>
        <p>{t.discountsText}</p>
        <Tiers rules={rules} />
      </Part>
      {rules.delivery.map((city) => (
        <Part key={city.city} title={t.city(city.city)}>
          <p>{t.price(formatMoney(city.price), formatMoney(city.free_from))}</p>
          <p>{t.when(rules.same_day_before)}</p>
          {days ? <p>{t.noDelivery(days)}</p> : null}
          {dates ? <p>{t.noDelivery(dates)}</p> : null}
        </Part>
      ))}
      {parts.map((html) => (
        <section
          key={html}
          className={s.part}
          lang={lang}
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the shop sanitises a page when it is written
          dangerouslySetInnerHTML={{ __html: sanitised(html) }}
        />
      ))}
      <Part title={t.minimum}>
        <p>{t.minimumText(formatMoney(rules.min_order))}</p>
      </Part>
      {shop?.returns ? (
        <Part title={t.returns}>
          <p {...spoken(shop.returns, shop.returns_kk)} />
        </Part>
      ) : null}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={s.part}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** By hand: two columns within prose, which need nothing of kit/table. */
function Tiers({ rules }: { rules: Rules }) {
  const tiers =
    rules.discount_tiers[0]?.from === 0
      ? rules.discount_tiers
      : [{ from: 0, percent: 0 }, ...rules.discount_tiers];
  return (
    <table className={s.tiers}>
      <thead>
        <tr>
          <th scope="col">{t.sum}</th>
          <th scope="col">{t.discount}</th>
        </tr>
      </thead>
      <tbody>
        {tiers.map((tier, at) => (
          <tr key={tier.from}>
            <td>{range(tier.from, tiers[at + 1]?.from)}</td>
            <td>{tier.percent > 0 ? t.percent(tier.percent) : t.noDiscount}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function range(from: number, to: number | undefined): string {
  if (to === undefined) return t.tierLast(formatMoney(from));
  return from === 0 ? t.tierFirst(formatMoney(to)) : t.tierBetween(formatMoney(from), formatMoney(to));
}
