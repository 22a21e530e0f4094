import { AccountPage } from '../features/customer/account-page';
import { ChangePassword } from '../features/customer/change-password';
import { Sessions } from '../features/customer/sessions';
import { accountTexts } from '../texts/account';

export default function AccountSecurityPage() {
  return (
    <AccountPage title={accountTexts.security}>
      <ChangePassword />
      <Sessions />
    </AccountPage>
  );
}
