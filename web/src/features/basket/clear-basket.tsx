import { useId, useState } from 'react';
import { Button } from '../../design/button';
import { Dialog } from '../../design/dialog';
import { basketTexts } from '../../texts/basket';
import { basket } from './basket-store';
import s from './clear-basket.module.css';

const t = basketTexts;

/** The button that empties the basket, after asking. */
export function ClearBasket() {
  const id = useId();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button kind="soft" aria-haspopup="dialog" onClick={() => setAsking(true)}>
        {t.clear}
      </Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        labelledBy={`${id}-title`}
        describedBy={`${id}-text`}
      >
        <h2 id={`${id}-title`} className={s.title}>
          {t.clearTitle}
        </h2>
        <p id={`${id}-text`} className={s.text}>
          {t.clearText}
        </p>
        <div className={s.row}>
          <Button kind="line" onClick={() => setAsking(false)}>
            {t.no}
          </Button>
          <Button
            onClick={() => {
              setAsking(false);
              basket.clear();
            }}
          >
            {t.yes}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
