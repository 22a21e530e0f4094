import { AccountPage } from '../features/customer/account-page';
import { WaitingList } from '../features/customer/waiting-list';
import { accountTexts } from '../texts/account';

export default function AccountWaitingPage() {
  return (
    <AccountPage title={accountTexts.waiting}>
      <WaitingList />
    </AccountPage>
  );
}
