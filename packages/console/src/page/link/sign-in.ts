/** Storage key. Storage belongs to one origin including its port, unlike a cookie. */
const KEY = 'synapse-console-key';

export function storedKey(): string {
  return localStorage.getItem(KEY) ?? '';
}

/** Redeems the token in the page's address, and removes it from the address. */
export async function signInFromLink(): Promise<void> {
  const token = /^#token=([\w-]+)$/u.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', '/');
  const response = await fetch('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) });
  if (!response.ok) return;
  const body: unknown = await response.json();
  if (typeof body === 'object' && body !== null && 'key' in body && typeof body.key === 'string') localStorage.setItem(KEY, body.key);
}

/** Whether this browser is signed in; undefined if the console cannot be reached. */
export async function isSignedIn(): Promise<boolean | undefined> {
  try {
    const { status } = await fetch('/session');
    return status === 200 ? storedKey() !== '' : status === 401 ? false : undefined;
  } catch {
    return undefined;
  }
}
