import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import x from '../../kit/design/text.module.css';
import f from '../parts/field.module.css';
import { Action } from '../parts/parts';
import s from './parts.module.css';
import { findTexts } from './texts/ru';

const schema = z.object({ text: z.string().check(z.trim(), z.minLength(1)) });

/** One field to look something up by. */
export function Find({
  label,
  value = '',
  find,
  button = findTexts.open,
  numeric = false,
  hint,
}: {
  label: string;
  value?: string;
  find: (text: string) => void;
  button?: string;
  numeric?: boolean;
  hint?: string;
}) {
  const form = useForm({ resolver: zodResolver(schema), values: { text: value } });
  return (
    <search>
      <form className={s.find} onSubmit={form.handleSubmit(({ text }) => find(text))} noValidate>
        <label className={f.field}>
          {label}
          <input
            {...form.register('text')}
            type="search"
            inputMode={numeric ? 'numeric' : undefined}
            placeholder={hint}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <Action type="submit" kind="strong" className={s.go}>
          {button}
        </Action>
      </form>
    </search>
  );
}

/** A command line that says the same, and a button that takes it along. */
export function Command({ line }: { line: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(line);
    setCopied(true);
  };
  return (
    <div className={s.command}>
      <code className={x.mono}>{line}</code>
      <Action kind="plain" onClick={copy}>
        {findTexts.copy}
      </Action>
      <span role="status" className={x.hidden}>
        {copied ? findTexts.copied : ''}
      </span>
    </div>
  );
}
