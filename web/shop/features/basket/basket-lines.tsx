import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../../kit/design/button';
import { classes } from '../../../kit/design/classes';
import { Link } from '../../../kit/design/link';
import { langOf, serverMessage } from '../../../kit/design/message';
import { formatMoney } from '../../design/format';
import { Hidden } from '../../design/layout';
import { Money } from '../../design/money';
import { Picture } from '../../design/picture';
import { saidIn } from '../../design/said-in';
import { basketTexts } from '../../texts/basket';
import { designTexts } from '../../texts/design';
import { productTexts } from '../../texts/product';
import s from './basket-lines.module.css';
import { type BasketLine, basket } from './basket-store';
import { Stepper } from './stepper';

/** How long the stock message stays after a plus that was refused. */
const limitShown = 5000;

/** The lines of the basket; small beside a form. */
export function BasketLines({ lines, small = false }: { lines: readonly BasketLine[]; small?: boolean }) {
  return (
    <ul className={classes(s.list, small && s.small)} aria-label={basketTexts.lines}>
      {lines.map((line) => (
        <Line key={line.id} line={line} small={small} />
      ))}
    </ul>
  );
}

function Line({ line, small }: { line: BasketLine; small: boolean }) {
  const [limited, setLimited] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const name = [line.name, line.package_size].filter(Boolean).join(', ');
  // Beside a form the lines stand under a heading of their own.
  const Name = small ? 'h3' : 'h2';
  const sale = line.discounted_price < line.price;
  return (
    <li className={s.line}>
      <Picture
        className={s.picture}
        picture={line.picture}
        src={line.main_image}
        kind={line.kind}
        alt=""
        sizes={small ? '64px' : '112px'}
      />
      <div className={s.body}>
        <Name className={s.name} lang={saidIn(line, 'name')}>
          <Link to={`/product/${line.link}`}>{name}</Link>
        </Name>
        {small ? <p className={s.article}>{productTexts.article(line.article)}</p> : null}
        <div className={s.row}>
          <Stepper
            line={line}
            onLimit={() => {
              setLimited(true);
              clearTimeout(timer.current);
              timer.current = setTimeout(() => setLimited(false), limitShown);
            }}
          />
          <p className={s.cost}>
            {line.count > 1 ? (
              <span className={s.unit}>
                <Money value={line.discounted_price} /> × {line.count} =
              </span>
            ) : null}
            <span className={s.sum}>
              <Money value={line.discounted_price * line.count} />
            </span>
            {sale ? (
              <s>
                <Hidden>{designTexts.priceOld} </Hidden>
                <Money value={line.price * line.count} />
              </s>
            ) : null}
          </p>
        </div>
        <p role="status" className={s.error} lang={limited ? undefined : langOf(serverMessage(line.error))}>
          {limited ? basketTexts.limit(line.amount) : (line.error ?? '')}
        </p>
        <Changed line={line} />
      </div>
      <IconButton
        icon="trash"
        size={20}
        label={basketTexts.remove(line.name)}
        onClick={() => basket.remove(line.id)}
      />
    </li>
  );
}

/** What changed since the shopper last looked: was and is; it goes when they say so. */
function Changed({ line }: { line: BasketLine }) {
  const { discounted_price: price, count } = line.was ?? {};
  const said = [
    price === undefined
      ? ''
      : basketTexts.priceChanged(formatMoney(price), formatMoney(line.discounted_price)),
    count === undefined ? '' : basketTexts.countChanged(count, line.count),
  ].filter(Boolean);
  return (
    <div role="status" className={s.changed}>
      {said.length > 0 ? (
        <>
          <p>
            {said.map((text) => (
              <span key={text}>{text}</span>
            ))}
          </p>
          <button
            type="button"
            aria-label={basketTexts.acknowledgeOf(line.name)}
            onClick={() => basket.acknowledge(line.id)}
          >
            {basketTexts.acknowledge}
          </button>
        </>
      ) : null}
    </div>
  );
}
