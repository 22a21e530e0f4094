import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useRef } from 'react';
import { type FieldPath, useForm } from 'react-hook-form';
import { answer } from '../../../kit/api/answer';
import { Problem } from '../../../kit/api/problem';
import { useNavigate } from '../../../kit/router/router';
import { api, words } from '../../api/client';
import { Action } from '../../parts/parts';
import { save } from '../../parts/save';
import { queries } from '../api/queries';
import type { Rules } from '../api/types';
import { whatIfTexts } from '../texts/ru';
import { ascending, changedRules, type Draft, draftOf, fieldError, mergeFile, schema } from './draft';
import { Cities, type Form, OtherRules, PriceRules, Tiers } from './fields';
import s from './form.module.css';

/** Edits the rules and starts a trial; only what differs from today's is sent. */
export function RulesForm({ today, begin }: { today: Rules; begin: Rules }) {
  const form: Form = useForm({
    // At once: asynchronously the rules would come in another order than the schema has them.
    resolver: zodResolver(schema, undefined, { mode: 'sync' }),
    defaultValues: draftOf(begin),
  });
  const { errors, isSubmitting } = form.formState;
  const start = useStart(form, today);
  const began = (rules: Rules) => form.reset(draftOf(rules));
  /** What is done with the rules once every field can be read. */
  const withRules = (act: (rules: Rules) => unknown) => async () => {
    const tiers = form.getValues('tiers');
    const sorted = ascending(tiers);
    if (sorted.some((tier, at) => tier !== tiers[at])) form.setValue('tiers', sorted);
    await form.handleSubmit(act)();
  };
  return (
    <form
      className={s.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSubmitting) withRules(start)();
      }}
      aria-label={whatIfTexts.form}
      noValidate
    >
      <Tiers form={form} />
      <PriceRules form={form} />
      <Cities form={form} />
      <OtherRules form={form} />
      <p role="alert" className={s.error}>
        {errors.root?.message}
      </p>
      <div className={s.buttons}>
        <Action type="submit" kind="strong" className={s.start} aria-disabled={isSubmitting}>
          {isSubmitting ? whatIfTexts.starting : whatIfTexts.start}
        </Action>
        <Action className={s.start} onClick={() => began(today)}>
          {whatIfTexts.backToToday}
        </Action>
        <OpenFile
          today={today}
          opened={began}
          refused={(message) => {
            form.clearErrors();
            form.setError('root', { message });
          }}
        />
        <Action
          kind="plain"
          className={s.start}
          onClick={withRules((rules) =>
            save('rules.json', `${JSON.stringify(rules, null, 2)}\n`, 'application/json'),
          )}
        >
          {whatIfTexts.saveFile}
        </Action>
      </div>
    </form>
  );
}

/** Starts a trial of rules and goes to it; what the shop refuses stands beside the field that it names. */
function useStart(form: Form, today: Rules) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (rules: Rules) => {
    const tried = changedRules(rules, today);
    if (Object.keys(tried).length === 0) {
      form.setError('root', { message: whatIfTexts.nothingDiffers });
      return;
    }
    try {
      const replay = await answer(api.POST('/api/analytics/replays/', { body: { rules: tried as object } }));
      client.invalidateQueries({ queryKey: queries.replays().queryKey });
      navigate(`/analytics/what-if/${encodeURIComponent(replay.id)}`);
    } catch (failure) {
      const about = failure instanceof Problem ? failure.fields.rules : undefined;
      const { field, message } = about ? fieldError(about) : { field: '', message: words(failure) };
      if (field === '') form.setError('root', { message });
      else form.setError(field as FieldPath<Draft>, { message }, { shouldFocus: true });
    }
  };
}

/** Begins the form with the rules of a file. */
function OpenFile({
  today,
  opened,
  refused,
}: {
  today: Rules;
  opened: (rules: Rules) => void;
  refused: (why: string) => void;
}) {
  const file = useRef<HTMLInputElement>(null);
  const open = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const text = await target.files?.[0]?.text();
    target.value = ''; // the same file can be chosen again
    if (text === undefined) return;
    const read = mergeFile(text, today);
    if (typeof read === 'string') refused(read);
    else opened(read);
  };
  return (
    <>
      <Action kind="plain" className={s.start} onClick={() => file.current?.click()}>
        {whatIfTexts.openFile}
      </Action>
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        aria-label={whatIfTexts.file}
        hidden
        onChange={open}
      />
    </>
  );
}
