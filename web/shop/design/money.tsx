import { classes } from '../../kit/design/classes';
import { designTexts } from '../texts/design';
import { formatAmount, formatLastDay } from './format';
import { Hidden } from './layout';
import s from './money.module.css';

/** An amount of tenge: '₸' everywhere, 'тг' on cards. */
export function Money({ value, sign = '₸' }: { value: number; sign?: '₸' | 'тг' }) {
  return (
    <span className={s.money}>
      {formatAmount(value)}
      {'\u00a0'}
      {sign}
    </span>
  );
}

/** What a product costs; the old price only when there is a discount, the day only when the price ends. */
export function Price({
  price,
  discounted,
  sign = '₸',
  big = false,
  until = null,
}: {
  price: number;
  discounted: number;
  /** When the price ends. */
  until?: string | null;
  sign?: '₸' | 'тг';
  big?: boolean;
}) {
  const sale = discounted < price;
  return (
    <span className={classes(s.price, big && s.big)}>
      <span className={classes(s.now, sale && s.sale)}>
        {sale ? <Hidden>{designTexts.priceNow} </Hidden> : null}
        <Money value={discounted} sign={sign} />
      </span>
      {sale ? (
        <s className={s.old}>
          <Hidden>{designTexts.priceOld} </Hidden>
          <Money value={price} sign={sign} />
        </s>
      ) : null}
      {until ? <span className={s.until}>{designTexts.priceUntil(formatLastDay(until))}</span> : null}
    </span>
  );
}
