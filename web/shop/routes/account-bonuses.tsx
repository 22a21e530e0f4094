import { BonusLedger } from '../features/bonus/bonus-ledger';
import { AccountPage } from '../features/customer/account-page';
import { accountTexts } from '../texts/account';

export default function AccountBonusesPage() {
  return (
    <AccountPage title={accountTexts.bonuses}>
      <BonusLedger />
    </AccountPage>
  );
}
