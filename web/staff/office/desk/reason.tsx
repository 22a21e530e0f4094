import { type ReactNode, useState } from 'react';
import f from '../../parts/field.module.css';
import { Confirm } from '../../parts/parts';

/** Asks for a reason before something is done. */
export function WithReason({
  title,
  label,
  button,
  danger = false,
  disabled = false,
  most = 500,
  act,
  close,
  children,
}: {
  title: string;
  label: string;
  button: string;
  danger?: boolean;
  /** Whether something else is still to be said. */
  disabled?: boolean;
  /** The most characters of the reason. */
  most?: number;
  act: (reason: string) => Promise<unknown>;
  close: () => void;
  children?: ReactNode;
}) {
  const [reason, setReason] = useState('');
  return (
    <Confirm
      title={title}
      button={button}
      danger={danger}
      disabled={disabled || !reason.trim()}
      act={() => act(reason.trim())}
      close={close}
    >
      {children}
      <label className={f.field}>
        {label}
        <input required value={reason} maxLength={most} onChange={({ target }) => setReason(target.value)} />
      </label>
    </Confirm>
  );
}
