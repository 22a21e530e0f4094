import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { accountTexts } from '../../texts/account';
import { sentence } from '../form/refusal';
import { useMailLink } from './customer-commands';

const t = accountTexts;

/** Asks for the letter that proves the e-mail once more, and says that it is on its way. */
export function Resend() {
  const mail = useMailLink();
  if (mail.isSuccess) return <p role="status">{t.mailed}</p>;
  return (
    <>
      <Button kind="soft" disabled={mail.isPending} onClick={() => mail.mutate()}>
        {t.mailAgain}
      </Button>
      {mail.isError ? <FormError>{sentence(mail.error)}</FormError> : null}
    </>
  );
}
