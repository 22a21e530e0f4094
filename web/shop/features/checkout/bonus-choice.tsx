import type { UseFormRegister } from 'react-hook-form';
import { Choice, Choices, Field, Fieldset } from '../../../kit/design/field';
import type { Message } from '../../../kit/design/message';
import type { Rules } from '../../api/types';
import { formatMoney } from '../../design/format';
import { checkoutTexts } from '../../texts/checkout';
import s from './checkout-form.module.css';
import type { CheckoutForm } from './checkout-schema';

const t = checkoutTexts;

/** How many of the customer's bonuses pay for the goods: none, as many as the rules allow, or so many. */
export function BonusChoice({
  balance,
  rules,
  sum,
  some,
  error,
  register,
}: {
  /** Bonuses that can be spent; a tenge each. */
  balance: number;
  rules: Rules;
  /** What the goods cost; bonuses pay a part of it. */
  sum: number;
  /** Whether the shopper chose to name an amount. */
  some: boolean;
  error?: Message;
  register: UseFormRegister<CheckoutForm>;
}) {
  const most = formatMoney(Math.min(balance, Math.floor((sum * rules.bonus_max_percent) / 100)));
  return (
    <Fieldset legend={t.bonuses}>
      <p className={s.small}>{t.bonusBalance(formatMoney(balance), rules.bonus_max_percent)}</p>
      <Choices>
        <Choice label={t.bonusNone} value="none" {...register('bonus')} />
        <Choice label={t.bonusAll(most)} value="all" {...register('bonus')} />
        <Choice label={t.bonusSome} value="some" {...register('bonus')} />
      </Choices>
      {some ? (
        <Field label={t.bonusAmount} required hint={t.bonusMost(most)} error={error}>
          {(tied) => (
            <input
              {...tied}
              inputMode="numeric"
              autoComplete="off"
              maxLength={9}
              {...register('bonus_amount')}
            />
          )}
        </Field>
      ) : null}
    </Fieldset>
  );
}
