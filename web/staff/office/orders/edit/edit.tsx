import { useQueryClient } from '@tanstack/react-query';
import { type FormEventHandler, Fragment, type ReactNode, useId, useState } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { Problem } from '../../../../kit/api/problem';
import { Dialog } from '../../../../kit/design/dialog';
import { serverMessage } from '../../../../kit/design/message';
import { words } from '../../../api/client';
import { moment } from '../../../parts/format';
import { Action } from '../../../parts/parts';
import { type OrderSheet, queries } from '../../api/queries';
import { eventTexts } from '../../texts/ru';
import s from './edit.module.css';
import { type Changes, changesOf, versionOf } from './queries';
import { editTexts as w } from './texts/ru';

/** The order as it was when its dialog was opened, or loaded again: what others do meanwhile must not be overwritten. */
export type Held = { sheet: OrderSheet; close: () => void; load: () => Promise<void> };

/** A button that opens a form about an order in a dialog. */
export function EditButton({
  label,
  name,
  title,
  sheet,
  kind = 'soft',
  children,
}: {
  label: string;
  /** What a screen reader says in place of the label. */
  name?: string;
  title: string;
  sheet: OrderSheet;
  kind?: 'soft' | 'danger';
  children: (held: Held) => ReactNode;
}) {
  const id = useId();
  const client = useQueryClient();
  const [held, setHeld] = useState<OrderSheet>();
  // Closed before it goes away: only then does the browser give the focus back.
  const [open, setOpen] = useState(false);
  const load = async () =>
    setHeld(await client.fetchQuery({ ...queries.order(String(sheet.number)), staleTime: 0 }));
  return (
    <>
      <Action
        kind={kind}
        aria-haspopup="dialog"
        aria-label={name}
        onClick={() => {
          setHeld(sheet);
          setOpen(true);
        }}
      >
        {label}
      </Action>
      {held ? (
        <Dialog open={open} onClose={() => setHeld(undefined)} labelledBy={id} place="wide">
          <h2 id={id} className={s.title}>
            {title}
          </h2>
          <Fragment key={versionOf(held)}>
            {children({ sheet: held, close: () => setOpen(false), load })}
          </Fragment>
        </Dialog>
      ) : null}
    </>
  );
}

/** Sends a form; what the shop refuses stands beside its field, and what belongs to none under the form. */
export function useEdit<F extends FieldValues, V>(
  form: UseFormReturn<F, unknown, V>,
  held: Held,
  act: (typed: V) => Promise<unknown>,
) {
  const client = useQueryClient();
  const [overtaken, setOvertaken] = useState<Changes>();
  const submit = form.handleSubmit(async (typed) => {
    setOvertaken(undefined);
    try {
      await act(typed as unknown as V);
    } catch (failure) {
      setOvertaken(changesOf(failure));
      if (!changesOf(failure)) showRefusal(form, failure);
      return;
    }
    held.close();
    await client.invalidateQueries({ queryKey: ['office'] });
  });
  return { form, held, submit, overtaken };
}

function showRefusal<F extends FieldValues, V>(form: UseFormReturn<F, unknown, V>, failure: unknown) {
  const fields = failure instanceof Problem ? Object.entries(failure.fields) : [];
  const other: string[] = [];
  for (const [field, said] of fields) {
    const value: unknown = form.getValues(field as FieldPath<F>);
    // Lines are wrong as a whole when the message is about none of them.
    if (value === undefined || typeof value === 'object') other.push(said);
    else form.setError(field as FieldPath<F>, serverMessage(said));
  }
  const root = fields.length === 0 ? words(failure) : other.join(' ');
  if (root) form.setError('root', serverMessage(root));
}

/** The form of a dialog, with what others did meanwhile and its buttons. */
export function EditForm({
  edit,
  children,
  button = w.save,
}: {
  edit: {
    form: { formState: { isSubmitting: boolean; errors: { root?: { message?: string } } } };
    held: Held;
    submit: FormEventHandler<HTMLFormElement>;
    overtaken: Changes | undefined;
  };
  children: ReactNode;
  button?: string;
}) {
  const { isSubmitting, errors } = edit.form.formState;
  const [failed, setFailed] = useState('');
  const load = () => edit.held.load().catch((error) => setFailed(words(error)));
  return (
    <form
      className={s.form}
      noValidate
      onSubmit={(event) => (isSubmitting ? event.preventDefault() : edit.submit(event))}
    >
      {children}
      <p role="alert" className={s.failed} lang={failed ? undefined : 'ru'}>
        {failed || errors.root?.message}
      </p>
      {edit.overtaken ? (
        <div role="alert" className={s.overtaken}>
          <p>{w.overtaken}</p>
          <ul>
            {edit.overtaken.map(({ type, actor, at }) => (
              <li key={type + at}>{w.change(eventTexts.names[type] ?? type, actor, moment(at))}</li>
            ))}
          </ul>
          <Action onClick={load}>{w.load}</Action>
        </div>
      ) : null}
      <div className={s.buttons}>
        <Action onClick={edit.held.close}>{w.leave}</Action>
        <Action type="submit" kind="strong" aria-disabled={isSubmitting}>
          {isSubmitting ? w.saving : button}
        </Action>
      </div>
    </form>
  );
}
