import { Button, ButtonLink } from '../../kit/design/button';
import { FormError } from '../../kit/design/field';
import { Heading } from '../design/layout';
import { sentence } from '../features/form/refusal';
import { BadLink, isBadLink, LetterPage } from '../features/session/letter-page';
import { useCancelEmail } from '../features/session/session-commands';
import { formTexts } from '../texts/form';
import { cancelEmailTexts, verifyTexts } from '../texts/session';

const t = cancelEmailTexts;

/** Ends the wish for another e-mail, once the button is pressed: programs follow the links of letters too. */
export default function CancelEmailPage() {
  return <LetterPage title={t.title}>{(token) => <Cancel token={token} />}</LetterPage>;
}

function Cancel({ token }: { token: string }) {
  const cancel = useCancelEmail();
  if (token === '') return <BadLink title={t.failed} text={verifyTexts.noToken} />;
  if (isBadLink(cancel.error)) return <BadLink title={t.failed} text={t.failedText} />;
  if (cancel.isSuccess) {
    return (
      <>
        <Heading title={t.done} />
        <p role="status">{t.doneText}</p>
        <ButtonLink to="/reset-password">{t.toReset}</ButtonLink>
      </>
    );
  }
  return (
    <>
      <Heading title={t.title} />
      <p>{t.lead}</p>
      {cancel.isError ? <FormError>{sentence(cancel.error)}</FormError> : null}
      <Button disabled={cancel.isPending} onClick={() => cancel.mutate({ token })}>
        {cancel.isPending ? formTexts.sending : t.submit}
      </Button>
    </>
  );
}
