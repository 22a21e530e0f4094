import { type ComponentProps, type ReactNode, useId } from 'react';
import { fieldTexts } from '../texts/field';
import { classes } from './classes';
import s from './field.module.css';
import { langOf, type Message, textOf } from './message';
import { useInSight } from './use-in-sight';

/** The attributes that tie an input to its label, hint and error. */
export type Tied = {
  id: string;
  className: string | undefined;
  'aria-invalid': boolean;
  'aria-describedby': string;
  'aria-required': boolean;
};

/**
 * A label, an input and the texts under it, tied together for screen readers. The error is announced when it
 * appears and stays until the field is edited; with an attempt given, it leaves sight two seconds after each attempt,
 * while the mark on the input and the text for screen readers stay.
 */
export function Field({
  id,
  label,
  labelProps,
  required = false,
  hint,
  error,
  invalid = Boolean(textOf(error)),
  attempt,
  above = false,
  children,
}: {
  id?: string;
  label: string;
  labelProps?: ComponentProps<'label'>;
  required?: boolean;
  hint?: string;
  error?: Message;
  /** Whether the input is marked, also without a text of its own. */
  invalid?: boolean;
  /** How often the form was sent. */
  attempt?: number;
  /** Whether the error stands above the input. */
  above?: boolean;
  children: (tied: Tied) => ReactNode;
}) {
  const own = useId();
  const at = id ?? own;
  const inSight = useInSight(textOf(error), attempt);
  return (
    <div className={classes(s.field, above && s.above)}>
      <label className={s.label} htmlFor={at} {...labelProps}>
        {label}
        {required ? null : <span className={s.optional}> {fieldTexts.optional}</span>}
      </label>
      {children({
        id: at,
        className: s.input,
        'aria-invalid': invalid,
        'aria-describedby': hint ? `${at}-error ${at}-hint` : `${at}-error`,
        'aria-required': required,
      })}
      {hint ? (
        <small id={`${at}-hint`} className={s.hint}>
          {hint}
        </small>
      ) : null}
      <p
        id={`${at}-error`}
        className={classes(s.error, !inSight && s.past)}
        role="alert"
        lang={langOf(error)}
      >
        {textOf(error)}
      </p>
    </div>
  );
}

/** A titled group of fields. */
export function Fieldset({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className={s.group}>
      <legend className={s.legend}>{legend}</legend>
      {children}
    </fieldset>
  );
}

/** Radio choices, one under another. */
export function Choices({ children }: { children: ReactNode }) {
  return <div className={s.choices}>{children}</div>;
}

export function Choice({ label, ...rest }: { label: string } & ComponentProps<'input'>) {
  return (
    <label className={s.choice}>
      <input type="radio" {...rest} />
      {label}
    </label>
  );
}

/** An error that belongs to no single field; announced when it appears. With an attempt it leaves sight as a field's. */
export function FormError({
  id,
  children,
  className,
  attempt,
}: {
  id?: string;
  children?: Message;
  className?: string;
  attempt?: number;
}) {
  const inSight = useInSight(textOf(children), attempt);
  return (
    <p
      id={id}
      className={classes(s.error, !inSight && s.past, className)}
      role="alert"
      lang={langOf(children)}
    >
      {textOf(children)}
    </p>
  );
}
