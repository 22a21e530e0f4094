import { useState } from 'react';
import { Problem } from '../../kit/api/problem';
import { Button } from '../../kit/design/button';
import { hasPasskeys } from '../../kit/passkey';
import { words } from '../api/client';
import { ownTexts } from '../texts/ru';
import s from './session.module.css';

/** Shows a passkey in place of a password or a code, where the browser can. */
export function PasskeyButton({ use, label }: { use: () => Promise<void>; label: string }) {
  const [waiting, setWaiting] = useState(false);
  const [failed, setFailed] = useState('');
  if (!hasPasskeys()) return null;
  const show = async () => {
    setWaiting(true);
    setFailed('');
    try {
      await use();
    } catch (failure) {
      setFailed(failure instanceof Problem ? words(failure) : ownTexts.passkeyLeft);
    } finally {
      setWaiting(false);
    }
  };
  return (
    <div className={s.passkey}>
      <Button kind="line" aria-disabled={waiting} onClick={show}>
        {label}
      </Button>
      <p role="alert" className={s.error}>
        {failed}
      </p>
    </div>
  );
}
