import { useQuery } from '@tanstack/react-query';
import { type Ref, useEffect } from 'react';
import { isTransient } from '../../../kit/api/problem';
import { Field } from '../../../kit/design/field';
import { serverMessage } from '../../../kit/design/message';
import { useDebounced } from '../../design/use-debounced';
import { checkoutTexts } from '../../texts/checkout';
import s from './checkout-form.module.css';
import { checkoutQueries } from './checkout-queries';

/** Without typing for so long, the code is looked up. */
const pause = 800;

/**
 * The promo code. A code that exists goes into the price; one that does not marks the field, without a message. What
 * the pricing says about an existing code, such as a minimum sum, stands under the field.
 */
export function PromoCode({
  value,
  onValue,
  onCode,
  refusal,
  ref,
}: {
  value: string;
  onValue: (typed: string) => void;
  /** The code to price with; empty for none. */
  onCode: (code: string) => void;
  /** Why the pricing does not use the code. */
  refusal?: string | null;
  ref?: Ref<HTMLInputElement>;
}) {
  const typed = value.trim();
  const settled = useDebounced(typed, pause);
  const asked = typed === settled ? settled : '';
  const found = useQuery({ ...checkoutQueries.promoCode(asked), enabled: asked !== '' });
  const code = asked && found.data ? asked : '';
  useEffect(() => onCode(code), [code, onCode]);
  const wrong = asked !== '' && found.isError && !isTransient(found.error);
  const said = code ? (refusal ?? undefined) : undefined;
  return (
    <div>
      <Field label={checkoutTexts.promocode} error={said && serverMessage(said)}>
        {(tied) => (
          <input
            {...tied}
            aria-invalid={wrong || Boolean(said)}
            ref={ref}
            name="promocode"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={64}
            value={value}
            onChange={(event) => onValue(event.target.value)}
          />
        )}
      </Field>
      <p className={s.accepted} role="status">
        {code && !said ? checkoutTexts.promocodeAccepted : ''}
      </p>
    </div>
  );
}
