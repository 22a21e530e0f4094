import { askForStepUp } from '../session/step-up';
import { partsTexts } from '../texts/ru';
import { Action } from './parts';
import s from './parts.module.css';

/** Says that persons are masked until the second factor is shown, and asks for it. */
export function StepUpNote({ shown }: { shown: () => unknown }) {
  const ask = async () => {
    if (await askForStepUp()) await shown();
  };
  return (
    <div className={s.stepUp} role="note">
      <p>{partsTexts.stepUpNote}</p>
      <Action onClick={ask}>{partsTexts.stepUpShow}</Action>
    </div>
  );
}
