import { Button } from '../../kit/design/button';
import { words } from '../api/client';
import { Section } from '../parts/parts';
import { Codes } from '../session/codes';
import { ownTexts, sessionTexts } from '../texts/ru';
import s from './account.module.css';
import { useRenewCodes } from './own-queries';

/** Recovery codes that replace the former ones, shown once. */
export function RecoveryCodes() {
  const renew = useRenewCodes();
  return (
    <Section title={sessionTexts.recoveryCodes}>
      <div className={s.form}>
        <p>{renew.data ? sessionTexts.saveCodesWhy : ownTexts.codesWhy}</p>
        {renew.data ? (
          <Codes codes={renew.data} />
        ) : (
          <Button kind="soft" aria-disabled={renew.isPending} onClick={() => renew.mutate()}>
            {ownTexts.renew}
          </Button>
        )}
        <p role="alert" className={s.error}>
          {renew.error ? words(renew.error) : ''}
        </p>
      </div>
    </Section>
  );
}
