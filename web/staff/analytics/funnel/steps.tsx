import { count, money, perMille } from '../../parts/format';
import { Nothing } from '../../parts/parts';
import type { FunnelStep } from '../api/types';
import { Share } from '../charts/share';
import { funnelTexts } from '../texts/ru';
import s from './funnel.module.css';

/** The way of baskets to a completed order; under each step why some went no further. */
export function Steps({ steps, short = false }: { steps: FunnelStep[]; short?: boolean }) {
  if (!steps.some(({ baskets }) => baskets > 0))
    return <Nothing title={funnelTexts.none}>{funnelTexts.noneWhy}</Nothing>;
  return (
    <ol className={s.steps} aria-label={funnelTexts.steps}>
      {steps.map(({ step, title, baskets, money: sum, share, lost }) => (
        <li key={step} className={s.step}>
          <div className={s.line}>
            <p className={s.name}>{title}</p>
            <p className={s.number}>
              <b>{count(baskets)}</b> <span>{perMille(share)}</span>
            </p>
          </div>
          <Share of={share / 1000} />
          {short ? null : <p className={s.sum}>{funnelTexts.inBaskets(money(sum))}</p>}
          {!short && lost && lost.baskets > 0 ? (
            <details className={s.lost}>
              <summary>{funnelTexts.noFurther(lost.baskets, money(lost.money))}</summary>
              <ul>
                {lost.reasons.map(({ reason, title, baskets, money: sum }) => (
                  <li key={reason}>
                    <span>{title}</span>
                    <span>{count(baskets)}</span>
                    <span>{money(sum)}</span>
                  </li>
                ))}
              </ul>
            </details>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
