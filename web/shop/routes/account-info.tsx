import { Skeleton } from '../design/state';
import { AccountPage } from '../features/customer/account-page';
import { useProfile } from '../features/customer/customer-queries';
import { EmailNotice } from '../features/customer/email-notice';
import { OwnData } from '../features/customer/own-data';
import { ProfileForm } from '../features/customer/profile-form';
import { accountTexts } from '../texts/account';

export default function AccountInfoPage() {
  return (
    <AccountPage title={accountTexts.info}>
      <Info />
    </AccountPage>
  );
}

function Info() {
  const profile = useProfile().data;
  if (!profile) return <Skeleton kind="tile" />;
  return (
    <>
      <EmailNotice profile={profile} />
      <ProfileForm key={profile.id} profile={profile} />
      <OwnData />
    </>
  );
}
