import { useState } from 'preact/hooks';
import { announce } from '../parts/announcer.tsx';
import { Icon } from '../parts/icon.tsx';

const TOLD: Readonly<Record<NotificationPermission, string>> = {
  granted: 'This browser tells you when a question waits.',
  denied: 'The browser does not allow notifications for this page. Its settings can change that.',
  default: 'Not decided.',
};

/** Asks for the permission to notify, as long as it was not decided. */
export function NotifyButton() {
  const [permission, setPermission] = useState<NotificationPermission>('Notification' in globalThis ? Notification.permission : 'denied');
  if (permission !== 'default') return null;
  const ask = async (): Promise<void> => {
    const answer = await Notification.requestPermission();
    setPermission(answer);
    announce(TOLD[answer]);
  };
  return (
    <button type="button" class="button quiet" onClick={() => void ask()}>
      <Icon name="bell" />
      <span class="wide-only">Notify me</span>
      <span class="visually-hidden">of questions</span>
    </button>
  );
}
