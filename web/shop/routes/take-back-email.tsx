import { useState } from 'react';
import { Heading } from '../design/layout';
import { BadLink, LetterPage } from '../features/session/letter-page';
import { LetterPassword } from '../features/session/letter-password';
import { useTakeEmailBack } from '../features/session/session-commands';
import { takeBackTexts, verifyTexts } from '../texts/session';

const t = takeBackTexts;

/** Makes a former e-mail the account's again, with the password that is chosen here. */
export default function TakeBackEmailPage() {
  return <LetterPage title={t.title}>{(token) => <TakeBack token={token} />}</LetterPage>;
}

function TakeBack({ token }: { token: string }) {
  const takeBack = useTakeEmailBack();
  const [isBad, setBad] = useState(false);
  if (token === '') return <BadLink title={t.failed} text={verifyTexts.noToken} />;
  if (isBad) return <BadLink title={t.failed} text={t.failedText} />;
  return (
    <>
      <Heading title={t.title} />
      <LetterPassword
        lead={t.lead}
        submit={t.submit}
        send={(passwords) => takeBack.mutateAsync({ token, ...passwords })}
        onBadLink={() => setBad(true)}
      />
    </>
  );
}
