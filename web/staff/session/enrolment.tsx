import { onDemand } from '../../kit/design/on-demand';
import x from '../../kit/design/text.module.css';
import { sessionTexts } from '../texts/ru';
import s from './session.module.css';

// The drawing of the code comes when it is needed: once in an account's life.
const Qr = onDemand(() => import('./qr').then(({ Qr }) => ({ default: Qr })));

/** What an authenticator needs: a code to scan, and the same as a key and as a link. */
export function EnrolmentCode({
  enrolment: { uri, secret },
}: {
  enrolment: { uri: string; secret: string };
}) {
  return (
    <>
      <p>{sessionTexts.scan}</p>
      <Qr text={uri} until={<span className={s.qr} />} />
      <p className={s.secret}>
        <span>{sessionTexts.key}</span> <code className={x.mono}>{secret.match(/.{1,4}/g)?.join(' ')}</code>
      </p>
      <p>
        <a href={uri}>{sessionTexts.openHere}</a>
      </p>
    </>
  );
}
