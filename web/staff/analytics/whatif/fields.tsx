import { useId } from 'react';
import { type FieldPath, type UseFormReturn, useFieldArray } from 'react-hook-form';
import type * as z from 'zod/mini';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import { whatIfTexts } from '../texts/ru';
import { type Draft, otherRules, priceRules, type schema } from './draft';
import s from './form.module.css';

export type Form = UseFormReturn<Draft, unknown, z.output<typeof schema>>;

/** The discounts of a whole order by its sum. */
export function Tiers({ form }: { form: Form }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'tiers' });
  return (
    <fieldset className={s.group}>
      <legend>{whatIfTexts.tiersTitle}</legend>
      {fields.map(({ id }, at) => (
        <div key={id} className={s.row}>
          <Text form={form} name={`tiers.${at}.from`} label={whatIfTexts.tierFrom(at + 1)} />
          <Text form={form} name={`tiers.${at}.percent`} label={whatIfTexts.tierPercent(at + 1)} />
          <Action kind="plain" aria-label={whatIfTexts.removeTier(at + 1)} onClick={() => remove(at)}>
            {whatIfTexts.remove}
          </Action>
        </div>
      ))}
      {/* What is added is typed into next: the form gives it the focus. */}
      <Action onClick={() => append({ from: '', percent: '' })}>{whatIfTexts.addTier}</Action>
      <ListFault form={form} name="tiers" />
    </fieldset>
  );
}

/** Where the shop delivers, and for how much. */
export function Cities({ form }: { form: Form }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'delivery' });
  return (
    <fieldset className={s.group}>
      <legend>{whatIfTexts.deliveryTitle}</legend>
      {fields.map(({ id }, at) => (
        <div key={id} className={s.row}>
          <Text form={form} name={`delivery.${at}.city`} label={whatIfTexts.cityName(at + 1)} words />
          <Text form={form} name={`delivery.${at}.aliases`} label={whatIfTexts.cityAliases(at + 1)} words />
          <Text form={form} name={`delivery.${at}.price`} label={whatIfTexts.cityPrice(at + 1)} />
          <Text form={form} name={`delivery.${at}.free_from`} label={whatIfTexts.cityFree(at + 1)} />
          <Action kind="plain" aria-label={whatIfTexts.removeCity(at + 1)} onClick={() => remove(at)}>
            {whatIfTexts.remove}
          </Action>
        </div>
      ))}
      <Action onClick={() => append({ city: '', aliases: '', price: '', free_from: '' })}>
        {whatIfTexts.addCity}
      </Action>
      <ListFault form={form} name="delivery" />
    </fieldset>
  );
}

export function PriceRules({ form }: { form: Form }) {
  return (
    <fieldset className={s.group}>
      <legend>{whatIfTexts.order}</legend>
      <Numbers form={form} rules={priceRules} />
    </fieldset>
  );
}

export function OtherRules({ form }: { form: Form }) {
  return (
    <fieldset className={s.group}>
      <legend>{whatIfTexts.others}</legend>
      <p className={s.about}>{whatIfTexts.othersAbout}</p>
      <Numbers form={form} rules={otherRules} />
      <label className={s.check}>
        <input type="checkbox" {...form.register('reviews_moderated')} />
        {whatIfTexts.reviewsWait}
      </label>
      <label className={s.check}>
        <input type="checkbox" {...form.register('promocode_proof')} />
        {whatIfTexts.promocodeProof}
      </label>
      <label className={s.check}>
        <input type="checkbox" {...form.register('approval_below_cost')} />
        {whatIfTexts.approvalBelowCost}
      </label>
      <label className={s.check}>
        <input type="checkbox" {...form.register('approval_rules')} />
        {whatIfTexts.approvalRules}
      </label>
    </fieldset>
  );
}

function Numbers({ form, rules }: { form: Form; rules: typeof priceRules }) {
  return (
    <div className={s.row}>
      {rules.map(({ rule, unit }) => {
        const label = whatIfTexts.rules[rule] ?? rule;
        return <Text key={rule} form={form} name={rule} label={unit ? `${label}, ${unit()}` : label} />;
      })}
    </div>
  );
}

/** What is wrong with a list as a whole. */
function ListFault({ form, name }: { form: Form; name: 'tiers' | 'delivery' }) {
  const said = form.formState.errors[name]?.root?.message;
  return said ? <p className={s.error}>{said}</p> : null;
}

function Text({
  form,
  name,
  label,
  words = false,
}: {
  form: Form;
  name: FieldPath<Draft>;
  label: string;
  /** Whether words are typed, not a number. */
  words?: boolean;
}) {
  const id = useId();
  const fault = form.getFieldState(name, form.formState).error?.message;
  return (
    <div className={s.field}>
      <label className={f.field}>
        <span>{label}</span>
        <input
          {...form.register(name)}
          inputMode={words ? undefined : 'numeric'}
          autoComplete="off"
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? id : undefined}
        />
      </label>
      {fault ? (
        <p id={id} className={s.error}>
          {fault}
        </p>
      ) : null}
    </div>
  );
}
