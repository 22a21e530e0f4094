import { type ComponentProps, type Ref, useEffect, useLayoutEffect, useRef } from 'react';
import { caretAfterMask, maskPhone } from './phone';

/** A telephone input that masks while one types, also in the middle of the number. */
export function PhoneInput({
  value,
  onValue,
  ref,
  ...rest
}: {
  value: string;
  onValue: (masked: string) => void;
  ref?: Ref<HTMLInputElement>;
} & Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'ref'>) {
  const input = useRef<HTMLInputElement | null>(null);
  const caret = useRef<number>(undefined);
  // What was typed before hydration stays. The form hears of it once its own effects have run.
  const early = useRef('');
  useLayoutEffect(() => {
    early.current = maskPhone(input.current?.value ?? '');
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (early.current !== maskPhone(value)) onValue(early.current);
  }, []);
  useLayoutEffect(() => {
    if (caret.current === undefined || document.activeElement !== input.current) return;
    input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  return (
    <input
      {...rest}
      ref={(element) => {
        input.current = element;
        if (typeof ref === 'function') ref(element);
        else if (ref) ref.current = element;
      }}
      type="tel"
      inputMode="tel"
      autoComplete="tel"
      value={value}
      onChange={(event) => {
        const typed = event.target.value;
        const masked = maskPhone(typed);
        caret.current = caretAfterMask(typed, event.target.selectionStart ?? typed.length, masked);
        onValue(masked);
      }}
    />
  );
}
