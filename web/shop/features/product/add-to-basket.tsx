import { useState } from 'react';
import { Button, buttonLook } from '../../../kit/design/button';
import { Link } from '../../../kit/design/link';
import { onDemand } from '../../../kit/design/on-demand';
import { painted } from '../../../kit/design/painted';
import { useSession } from '../../api/session';
import type { ProductCard } from '../../api/types';
import { productTexts } from '../../texts/product';
import { basket, useBasketLine } from '../basket/basket-store';
import { AddingStepper } from '../basket/stepper';
import s from './add-to-basket.module.css';

const RestockButton = onDemand(() => import('../restock/restock-button'));

/** After the frame that shows the counter. Without the animation, such as offline, the product is in the basket all the same. */
const fly = (picture: Element | null) =>
  void painted()
    .then(() => import('../basket/fly'))
    .then(({ flyToBasket }) => flyToBasket(picture))
    .catch(() => {});

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
  const line = useBasketLine(product.id);
  // Said once for a card: from the first refusal on it stays.
  const [limited, setLimited] = useState(false);

  if (!product.in_stock) return <Out product={product} page={page} />;
  return (
    <div className={s.add}>
      <AddingStepper
        line={line && { ...line, name: product.name }}
        onLimit={() => setLimited(true)}
        button={{
          className: buttonLook(page ? 'primary' : 'soft'),
          'aria-label': page ? undefined : productTexts.toBasketOf(product.name),
          onClick: () => {
            if (basket.add(product)) fly(picture());
            else setLimited(true);
          },
          children: page ? productTexts.addToBasket : productTexts.toBasket,
        }}
      />
      <p role="status" className={s.limit}>
        {limited ? productTexts.limit(product.amount) : ''}
      </p>
    </div>
  );
}

/** What stands in the place of the basket button: a customer may wait for the product, a guest is asked in. */
function Out({ product, page }: { product: ProductCard; page: boolean }) {
  const customer = useSession() !== null;
  const next = `/product/${product.link}`;
  return (
    <div className={page ? s.outPage : s.out}>
      {page && !customer ? (
        <Button disabled>{productTexts.unavailable}</Button>
      ) : (
        <b>{productTexts.unavailable}</b>
      )}
      {customer ? (
        <RestockButton product={product} page={page} />
      ) : (
        <Link to={`/login?next=${encodeURIComponent(next)}`}>{productTexts.loginToSubscribe}</Link>
      )}
    </div>
  );
}
