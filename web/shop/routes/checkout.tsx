import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { ButtonLink } from '../../kit/design/button';
import { useLocation } from '../../kit/router/router';
import { spoken } from '../design/format';
import { useHydrated } from '../design/hydrated';
import { Heading, Page } from '../design/layout';
import { Empty, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { BasketPlace } from '../features/basket/basket-place';
import { useBasketIsEmpty } from '../features/basket/basket-store';
import { ArrivedOrder } from '../features/checkout/arrived-order';
import { useUnanswered } from '../features/checkout/checkout-attempt';
import { CheckoutForm } from '../features/checkout/checkout-form';
import { UnansweredOrder } from '../features/checkout/unanswered-order';
import { contentQueries } from '../features/content/content-queries';
import { shopName } from '../features/content/shop-name';
import { basketTexts } from '../texts/basket';
import { checkoutTexts } from '../texts/checkout';
import s from './checkout.module.css';

const t = checkoutTexts;

export default function CheckoutPage() {
  // The form is drawn in small pieces of time: the page answers to touches meanwhile.
  const hydrated = useDeferredValue(useHydrated());
  const banner = useQuery(contentQueries.block('discount-text')).data;
  const unanswered = useUnanswered();
  const arrived = useLocation().state?.arrived;
  const empty = useBasketIsEmpty();
  const nothing = (
    <Empty icon="bag" text={t.empty}>
      <ButtonLink to="/categories">{basketTexts.toCatalog}</ButtonLink>
    </Empty>
  );
  return (
    <Page>
      <Title text={`${t.kicker} — ${shopName()}`} />
      <p className={s.kicker}>{t.kicker}</p>
      <Heading title={t.title} />
      {banner?.text && !unanswered && !arrived ? (
        <p className={s.banner} {...spoken(banner.text, banner.text_kk)} />
      ) : null}
      {!hydrated ? (
        <BasketPlace empty={nothing}>
          <Skeleton kind="tile" />
        </BasketPlace>
      ) : arrived ? (
        <ArrivedOrder order={arrived} />
      ) : unanswered ? (
        <UnansweredOrder unanswered={unanswered} />
      ) : (
        <>
          {empty ? nothing : null}
          <CheckoutForm />
        </>
      )}
    </Page>
  );
}
