import { useState } from 'react';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import d from './desk.module.css';

/** The field and the button by which a list is searched; it tells what was typed when it is sent. */
export function Find({
  label,
  button,
  longest,
  typed: before = '',
  find,
}: {
  label: string;
  button: string;
  longest: number;
  typed?: string;
  find: (typed: string) => void;
}) {
  const [typed, setTyped] = useState(before);
  return (
    <form
      className={d.find}
      onSubmit={(event) => {
        event.preventDefault();
        find(typed.trim());
      }}
    >
      <label className={f.field}>
        {label}
        <input
          type="search"
          value={typed}
          maxLength={longest}
          onChange={({ target }) => setTyped(target.value)}
        />
      </label>
      <Action type="submit" kind="strong">
        {button}
      </Action>
    </form>
  );
}
