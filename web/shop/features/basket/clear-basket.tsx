import { useId, useState } from 'react';
import { Button } from '../../../kit/design/button';
import { Confirm } from '../../design/confirm';
import { basketTexts } from '../../texts/basket';
import { basket } from './basket-store';

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
      <Confirm
        id={id}
        open={asking}
        title={t.clearTitle}
        text={t.clearText}
        no={t.no}
        yes={t.yes}
        onClose={(agreed) => {
          setAsking(false);
          if (agreed) basket.clear();
        }}
      />
    </>
  );
}
