import { useState } from 'react';
import { ButtonLink } from '../../kit/design/button';
import { Heading } from '../design/layout';
import { BadLink, LetterPage } from '../features/session/letter-page';
import { LetterPassword } from '../features/session/letter-password';
import { useResetByLink } from '../features/session/session-commands';
import { newPasswordTexts, verifyTexts } from '../texts/session';

const t = newPasswordTexts;

/** Where the link of a letter about a reset leads: the password is chosen here without the letter's code. */
export default function NewPasswordPage() {
  return <LetterPage title={t.title}>{(token) => <Choose token={token} />}</LetterPage>;
}

function Choose({ token }: { token: string }) {
  const reset = useResetByLink();
  const [isBad, setBad] = useState(false);
  if (token === '' || isBad) {
    return (
      <BadLink title={t.failed} text={token === '' ? verifyTexts.noToken : t.failedText}>
        <ButtonLink to="/reset-password">{t.again}</ButtonLink>
      </BadLink>
    );
  }
  return (
    <>
      <Heading title={t.title} />
      <LetterPassword
        lead={t.lead}
        submit={t.submit}
        send={(passwords) => reset.mutateAsync({ token, ...passwords })}
        onBadLink={() => setBad(true)}
      />
    </>
  );
}
