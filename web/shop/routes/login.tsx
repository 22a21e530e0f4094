import { Entry, useOnwards } from '../features/session/entry';
import { LoginForm } from '../features/session/login-form';
import { loginTexts } from '../texts/session';

export default function LoginPage() {
  useOnwards();
  return (
    <Entry title={loginTexts.title}>
      <LoginForm />
    </Entry>
  );
}
