import { Button } from '../../kit/design/button';
import { Dialog } from '../../kit/design/dialog';
import s from './confirm.module.css';

/** A question that is answered with yes or no; closing it is a no. */
export function Confirm({
  id,
  open,
  title,
  text,
  no,
  yes,
  onClose,
}: {
  id: string;
  open: boolean;
  title: string;
  text: string;
  no: string;
  yes: string;
  onClose: (agreed: boolean) => void;
}) {
  return (
    <Dialog
      open={open}
      onClose={() => {
        if (open) onClose(false);
      }}
      labelledBy={`${id}-title`}
      describedBy={`${id}-text`}
    >
      <h2 id={`${id}-title`} className={s.title}>
        {title}
      </h2>
      <p id={`${id}-text`} className={s.text}>
        {text}
      </p>
      <div className={s.row}>
        <Button kind="line" onClick={() => onClose(false)}>
          {no}
        </Button>
        <Button onClick={() => onClose(true)}>{yes}</Button>
      </div>
    </Dialog>
  );
}
