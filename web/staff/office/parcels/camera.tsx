import { useEffect, useRef, useState } from 'react';
import { Action } from '../../parts/parts';
import s from './parcels.module.css';
import { parcelTexts as w } from './texts/ru';

type Detector = { detect: (source: HTMLVideoElement) => Promise<{ rawValue: string }[]> };
const detectorOf = () => (globalThis as { BarcodeDetector?: new () => Detector }).BarcodeDetector;

/** The camera as a scanner, where the browser reads codes by itself; nothing elsewhere. */
export function Camera({ take }: { take: (code: string) => void }) {
  const [on, setOn] = useState(false);
  const [failed, setFailed] = useState(false);
  const video = useRef<HTMLVideoElement>(null);
  const told = useRef(take);
  told.current = take;
  useEffect(() => {
    const Codes = detectorOf();
    if (!on || !Codes) return;
    const codes = new Codes();
    let stream: MediaStream | undefined;
    let gone = false;
    let last = '';
    const look = setInterval(async () => {
      if (!video.current || !stream) return;
      const [code] = await codes.detect(video.current).catch(() => []);
      // A code that stays in sight counts once; the next piece has to come into sight anew.
      if (code && code.rawValue !== last && !gone) told.current(code.rawValue);
      last = code?.rawValue ?? '';
    }, 250);
    navigator.mediaDevices
      .getUserMedia({ video: { facingMode: 'environment' } })
      .then((found) => {
        stream = found;
        if (gone) for (const track of found.getTracks()) track.stop();
        else if (video.current) video.current.srcObject = found;
      })
      .catch(() => {
        setFailed(true);
        setOn(false);
      });
    return () => {
      gone = true;
      clearInterval(look);
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
  }, [on]);
  if (!detectorOf()) return null;
  return (
    <>
      <Action onClick={() => setOn(!on)}>{on ? w.stopCamera : w.camera}</Action>
      {failed ? <span role="alert">{w.noCamera}</span> : null}
      {on ? <video ref={video} className={s.video} autoPlay muted playsInline aria-label={w.camera} /> : null}
    </>
  );
}
