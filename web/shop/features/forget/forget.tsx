import { Problem } from '../../../kit/api/problem';
import { Button, ButtonLink } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { Heading } from '../../design/layout';
import { forgetTexts } from '../../texts/forget';
import { formTexts } from '../../texts/form';
import { sentence } from '../form/refusal';
import { BadLink } from '../session/letter-page';
import type { useForgetOrder } from './forget-commands';

const t = forgetTexts;

/** Asks first: programs follow the links of letters too. */
export function Forget({
  id,
  letterKey,
  lead,
  forget,
  order,
}: {
  id: string;
  letterKey: string;
  lead: string;
  forget: ReturnType<typeof useForgetOrder>;
  /** The address of the order that shows why it cannot be forgotten yet. */
  order?: string;
}) {
  const status = forget.error instanceof Problem ? forget.error.status : 0;
  if (letterKey === '' || status === 404) return <BadLink title={t.failed} text={t.failedText} />;
  if (forget.isSuccess) {
    return (
      <>
        <Heading title={t.done} />
        <p role="status">{t.doneText}</p>
        <ButtonLink to="/">{t.toHome}</ButtonLink>
      </>
    );
  }
  if (status === 409) {
    return (
      <>
        <Heading title={t.notYet} />
        <FormError>{sentence(forget.error)}</FormError>
        {order ? <ButtonLink to={order}>{t.toOrder}</ButtonLink> : null}
      </>
    );
  }
  return (
    <>
      <Heading title={t.title} />
      <p>{lead}</p>
      {forget.isError ? <FormError>{sentence(forget.error)}</FormError> : null}
      <Button disabled={forget.isPending} onClick={() => forget.mutate({ id, key: letterKey })}>
        {forget.isPending ? formTexts.sending : t.submit}
      </Button>
    </>
  );
}
