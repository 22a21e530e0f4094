import type { Profile } from '../../api/types';
import { profileTexts } from '../../texts/account';
import s from './email-notice.module.css';
import { Resend } from './resend';

const t = profileTexts;

/** Says that an e-mail waits to be proved; nothing when none does. */
export function EmailNotice({ profile: { email, email_verified, email_wanted } }: { profile: Profile }) {
  if (email_verified && !email_wanted) return null;
  return (
    <section className={s.notice} aria-label={t.emailNotice}>
      <p>{email_wanted ? t.emailWanted(email_wanted, email) : t.emailUnproved(email)}</p>
      {/* A letter to another address is another letter. */}
      <Resend key={email_wanted ?? email} />
    </section>
  );
}
