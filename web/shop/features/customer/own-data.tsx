import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { profileTexts } from '../../texts/account';
import { sentence } from '../form/refusal';
import { useExport } from './customer-commands';
import { LeaveAccount } from './leave-account';
import s from './own-data.module.css';

const t = profileTexts;

/** What the shop knows of the customer, to keep or to have forgotten. */
export function OwnData() {
  const load = useExport();
  return (
    <section className={s.data} aria-labelledby="own-data">
      <h2 id="own-data">{t.ownData}</h2>
      <p>{t.ownDataText}</p>
      <div className={s.row}>
        <Button
          kind="soft"
          disabled={load.isPending}
          onClick={() => load.mutate(undefined, { onSuccess: (file) => save(file, t.exportFile) })}
        >
          {load.isPending ? t.exporting : t.export}
        </Button>
        <LeaveAccount />
      </div>
      {load.isError ? <FormError>{sentence(load.error)}</FormError> : null}
    </section>
  );
}

/** Has the browser keep a file, as a click on a link to it does. */
function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
