import { Frame } from '../frame';
import { useMe } from '../me';
import { Fact, Facts, Head } from '../parts/parts';
import { useSection } from '../sections';
import { frameTexts, ownTexts } from '../texts/ru';
import s from './account.module.css';
import { Authenticator } from './authenticator';
import { Passkeys } from './passkeys';
import { PasswordChange } from './password-change';
import { RecoveryCodes } from './recovery-codes';
import { Sessions } from './sessions';

/** The account of who is signed in: how they sign in, and where they are signed in. */
export function Account() {
  const { email, role } = useMe();
  const { home } = useSection();
  return (
    <Frame ways={[{ to: `${home}/account`, name: () => ownTexts.title }]}>
      <Head title={ownTexts.title} lead={ownTexts.lead} />
      <Facts>
        <Fact label={ownTexts.email}>{email}</Fact>
        <Fact label={ownTexts.role}>{frameTexts.roles[role]}</Fact>
      </Facts>
      <div className={s.parts}>
        <Sessions />
        <Passkeys />
        <PasswordChange />
        <RecoveryCodes />
        <Authenticator />
      </div>
    </Frame>
  );
}
