import { useParams } from '../../kit/router/router';
import { Forget } from '../features/forget/forget';
import { useForgetReview } from '../features/forget/forget-commands';
import { LetterPage } from '../features/session/letter-page';
import { forgetTexts } from '../texts/forget';

const t = forgetTexts;

/** Has the shop forget who wrote a review, by the link of a guest's letter. */
export default function ForgetReviewPage() {
  const { id = '' } = useParams();
  return <LetterPage title={t.title}>{(key) => <Asked id={id} letterKey={key} />}</LetterPage>;
}

function Asked({ id, letterKey }: { id: string; letterKey: string }) {
  const forget = useForgetReview();
  return <Forget id={id} letterKey={letterKey} lead={t.reviewLead} forget={forget} />;
}
