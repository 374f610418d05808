import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 5_000;

let show: (text: string) => void = () => {};

/** Shows a message at the edge of the page, and to screen readers. */
export function announce(text: string): void {
  show(text);
}

export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    show = (next) => {
      setText(next.length > 200 ? `${next.slice(0, 200)}…` : next);
      clearTimeout(timer);
      timer = setTimeout(() => setText(''), SHOWN_MS);
    };
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="announcer" role="status" aria-live="polite">
      {text !== '' && <p>{text}</p>}
    </div>
  );
}
