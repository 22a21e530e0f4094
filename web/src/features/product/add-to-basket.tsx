import { useState } from 'react';
import type { ProductCard } from '../../api/types';
import { Button } from '../../design/button';
import { productTexts } from '../../texts/product';
import { basket, useBasket } from '../basket/basket-store';
import { flyToBasket } from '../basket/fly';
import { Stepper } from '../basket/stepper';
import s from './add-to-basket.module.css';

/**
 * Puts the product into the basket; once it is there, shows how many and lets change it. What cannot be bought says
 * so instead.
 */
export function AddToBasket({
  product,
  picture,
  page = false,
}: {
  product: ProductCard;
  /** What flies to the basket. */
  picture: () => Element | null;
  /** On the product's own page the button is the strong action. */
  page?: boolean;
}) {
  const line = useBasket().find((candidate) => candidate.id === product.id);
  // Said once for a card: from the first refusal on it stays.
  const [limited, setLimited] = useState(false);

  if (!product.in_stock) return page ? <OutOnPage /> : <OutOnCard />;
  return (
    <div className={s.add}>
      {line ? (
        <Stepper line={{ ...line, name: product.name }} wide onLimit={() => setLimited(true)} />
      ) : (
        <Button
          kind={page ? 'primary' : 'soft'}
          aria-label={page ? undefined : productTexts.toBasketOf(product.name)}
          onClick={() => {
            if (basket.add(product)) flyToBasket(picture());
            else setLimited(true);
          }}
        >
          {page ? productTexts.addToBasket : productTexts.toBasket}
        </Button>
      )}
      <p role="status" className={s.limit}>
        {limited ? productTexts.limit(product.amount) : ''}
      </p>
    </div>
  );
}

function OutOnCard() {
  return (
    <div className={s.out}>
      <b>{productTexts.unavailable}</b>
      <span>{productTexts.loginToSubscribe}</span>
    </div>
  );
}

function OutOnPage() {
  return (
    <div className={s.outPage}>
      <Button disabled>{productTexts.unavailable}</Button>
      <p>{productTexts.loginToSubscribe}</p>
    </div>
  );
}
