import { Entry } from '../features/session/entry';
import { ResetForm } from '../features/session/reset-form';
import { resetTexts } from '../texts/session';

export default function ResetPasswordPage() {
  return (
    <Entry title={resetTexts.title}>
      <ResetForm />
    </Entry>
  );
}
