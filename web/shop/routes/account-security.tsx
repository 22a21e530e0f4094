import { AccountPage } from '../features/customer/account-page';
import { ChangePassword } from '../features/customer/change-password';
import { Passkeys } from '../features/customer/passkeys';
import { Sessions } from '../features/customer/sessions';
import { accountTexts } from '../texts/account';

export default function AccountSecurityPage() {
  return (
    <AccountPage title={accountTexts.security}>
      <ChangePassword />
      <Sessions />
      <Passkeys />
    </AccountPage>
  );
}
