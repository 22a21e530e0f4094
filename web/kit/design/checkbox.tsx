import type { ComponentProps } from 'react';
import s from './checkbox.module.css';

/** Apart from the other fields, so that a list's filters load without forms. */
export function Checkbox({ label, ...rest }: { label: string } & ComponentProps<'input'>) {
  return (
    <label className={s.check}>
      <input type="checkbox" {...rest} />
      {label}
    </label>
  );
}
