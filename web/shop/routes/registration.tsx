import { Entry, useOnwards } from '../features/session/entry';
import { RegistrationForm } from '../features/session/registration-form';
import { registrationTexts } from '../texts/session';

export default function RegistrationPage() {
  useOnwards();
  return (
    <Entry title={registrationTexts.title}>
      <RegistrationForm />
    </Entry>
  );
}
