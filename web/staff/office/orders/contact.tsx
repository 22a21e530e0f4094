import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import { Email } from '../../parts/email';
import { Fact, Facts, Section } from '../../parts/parts';
import type { OrderSheet } from '../api/queries';
import { officeTexts, sheetTexts as w } from '../texts/ru';
import { ChangeAddress } from './edit/address';
import { day } from './orders';

/** Who ordered, and where the order goes. */
export function Contact({ sheet }: { sheet: OrderSheet }) {
  const o = sheet.order;
  const name = [o.customer_first_name, o.customer_last_name].filter(Boolean).join(' ');
  const digits = o.customer_phone?.replace(/\D/g, '') ?? '';
  const street = [o.customer_street, o.customer_house].filter(Boolean).join(', ');
  const address = [o.customer_city, street, o.customer_apartment, o.customer_entrance, o.customer_floor]
    .filter(Boolean)
    .join(', ');
  const pickup = o.delivery_type === 'PICKUP';
  return (
    <Section title={w.contact} aside={<ChangeAddress sheet={sheet} />}>
      <Facts>
        <Fact label={w.name}>{name || w.erased}</Fact>
        {digits ? (
          <Fact label={w.phone}>
            <a className={t.link} href={`tel:${o.customer_phone}`}>
              {o.customer_phone}
            </a>{' '}
            <a className={t.link} href={`https://wa.me/${digits}`} rel="noreferrer" target="_blank">
              {w.write}
            </a>
          </Fact>
        ) : null}
        {o.customer_email ? (
          <Fact label={w.email}>
            {o.customer_email.includes('@') ? (
              <a className={t.link} href={`mailto:${o.customer_email}`}>
                <Email of={o.customer_email} />
              </a>
            ) : (
              o.customer_email
            )}
          </Fact>
        ) : null}
        <Fact label={w.delivery}>
          {officeTexts.deliveries[pickup ? 'PICKUP' : 'DELIVERY']}
          {o.delivery_date ? `, ${w.promised.toLowerCase()} ${day(o.delivery_date)}` : ''}
        </Fact>
        {pickup ? null : (
          <Fact label={w.address} wide>
            {address}{' '}
            {street.includes('•') || !street ? null : (
              <a
                className={t.link}
                href={`https://2gis.kz/search/${encodeURIComponent(`${o.customer_city}, ${street}`)}`}
                rel="noreferrer"
                target="_blank"
              >
                {w.map}
              </a>
            )}
          </Fact>
        )}
        {o.address_comment ? (
          <Fact label={w.comment} wide>
            {o.address_comment}
          </Fact>
        ) : null}
        <Fact label={w.payment}>
          {officeTexts.methods[o.payment_method as keyof typeof officeTexts.methods]},{' '}
          {o.is_paid ? w.paid : w.notPaid}
        </Fact>
      </Facts>
      {sheet.others > 0 ? (
        <p>
          <Link className={t.link} to="/admin/orders">
            {w.others(sheet.others)}
          </Link>
        </p>
      ) : null}
    </Section>
  );
}
