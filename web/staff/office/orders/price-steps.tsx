import { money } from '../../parts/format';
import s from './price-steps.module.css';

interface Step {
  code: string;
  label: string;
  note?: string;
  amount: number;
}

/** How a price comes about, step by step, with its sum. The steps' words are the shop's, so Russian. */
export function PriceSteps({
  steps,
  total,
  paid,
  busy,
}: {
  steps: Step[];
  total: string;
  paid: number;
  busy?: boolean;
}) {
  return (
    <dl className={s.steps} aria-busy={busy}>
      {steps.map((step) => (
        <div key={step.code + step.label}>
          <dt lang="ru">
            {step.label}
            {step.note ? <small>{step.note}</small> : null}
          </dt>
          <dd>{money(step.amount)}</dd>
        </div>
      ))}
      <div className={s.total}>
        <dt>{total}</dt>
        <dd>{money(paid)}</dd>
      </div>
    </dl>
  );
}
